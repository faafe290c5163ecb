#pragma once

// Objects that are done with, kept for the next one that this thread needs: calls like those before
// allocate nothing, through C's interface too. Each thread has its own list, so there is no lock;
// what is taken on one thread may be kept by another.

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace rondo::c {

template <typename Object>
class Spares {
 public:
  /// One that was kept, as it was then, or a new one.
  static std::unique_ptr<Object> take() {
    List& list = own();
    if (is_over || list.count == 0) return std::make_unique<Object>();
    return std::move(list.objects[--list.count]);
  }
  /// Beyond kMost it goes.
  static void keep(std::unique_ptr<Object> object) noexcept {
    if (is_over) return;
    List& list = own();
    if (list.count < kMost) list.objects[list.count++] = std::move(object);
  }

 private:
  static constexpr std::size_t kMost = 64;
  struct List {
    ~List() { is_over = true; }
    std::array<std::unique_ptr<Object>, kMost> objects;
    std::size_t count = 0;
  };
  static List& own() {
    thread_local List list;
    return list;
  }
  /// The thread ends, and its list is gone: a program's own destructors may still make calls.
  inline static thread_local bool is_over = false;
};

}  // namespace rondo::c
