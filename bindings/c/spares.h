#pragma once

// Objects that are done with, kept for the next one that this thread needs: calls like those before
// allocate nothing, through C's interface too. Each thread has its own list, so there is no lock;
// what is taken on one thread may be kept by another.

#include <array>
#include <cstddef>
#include <memory>

namespace rondo::c {

template <typename Object>
class Spares {
 public:
  /// One that was kept, as it was then, or a new one.
  static std::unique_ptr<Object> take() {
    List& list = own;
    if (list.count == 0) return std::make_unique<Object>();
    return std::unique_ptr<Object>(list.objects[--list.count]);
  }
  /// Beyond kMost it goes.
  static void keep(std::unique_ptr<Object> object) noexcept {
    List& list = own;
    if (list.is_over || list.count == kMost) return;
    if (!list.frees_at_end) free_at_end();
    list.objects[list.count++] = object.release();
  }

 private:
  static constexpr std::size_t kMost = 64;
  /// Without a constructor: each look at a list that has one asks whether that has run.
  struct List {
    std::array<Object*, kMost> objects;
    std::size_t count;
    bool frees_at_end;
    bool is_over;  ///< the thread ends; a program's own destructors may still make calls
  };
  /// Frees them with the thread.
  struct Last {
    ~Last() {
      own.is_over = true;
      while (own.count > 0) delete own.objects[--own.count];
    }
  };
  static void free_at_end() {
    static thread_local const Last last;
    own.frees_at_end = true;
  }
  inline static thread_local constinit List own{};
};

}  // namespace rondo::c
