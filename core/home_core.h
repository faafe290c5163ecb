#pragma once

// Threads that wait for each other, each with a core for itself, but free to run on any: a kernel
// may wake one on its waker's core though its own is idle (idle processors of a virtual machine
// look taken to it), and takes some ten milliseconds to part the two. One that finds so goes to a
// core that no other of them has for its home, and is bound to it from then on while it sleeps.
// Where somebody stays there whom it meets as it comes, four times, each within a minute of the
// one before, it leaves all to the kernel for ten seconds, and twice as long each time after.
// Threads: one at a time.

#include <sched.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rondo {

/// Whose home is which: the index-th's of so many that may run on the same cores.
struct HomeShare {
  std::size_t index = 0;
  std::size_t of = 0;
  std::uint64_t shift = 0;  ///< jobs that differ in it don't all begin with the first core
};

/// -1: none, where it is alone, or cores are too few. Spread over one thread of each processor core
/// (`siblings_root`: where Linux tells them), over all where these are too few.
int home_core(std::span<const int> cores, const HomeShare& share,
              const char* siblings_root = "/sys/devices/system/cpu");

class HomeCore {
 public:
  using Clock = std::chrono::steady_clock;

  /// Of the operating system's number; -1: the kernel decides.
  explicit HomeCore(int core) : core_(core) {}

  /// A sleep of the calling thread. Where it `stays`: some calls of the system, and a tenth of a
  /// millisecond where it isn't at home yet.
  class Sleep {
   public:
    explicit Sleep(HomeCore& home);
    ~Sleep();
    Sleep(const Sleep&) = delete;
    Sleep& operator=(const Sleep&) = delete;

   private:
    HomeCore& home_;
    std::optional<cpu_set_t> mask_;  ///< the thread's, where it is bound meanwhile
  };

  /// Before the first yield of a wait (a quarter of a microsecond).
  void begin();
  /// Somebody else seems to want the core that the calling thread has waited on at `now`: a yield
  /// took long. Where others have had turns since `begin`, or since it was asked last, and it isn't
  /// at home, it goes there (a tenth of a millisecond): true.
  bool is_shared(Clock::time_point now);
  /// It sleeps at home.
  bool stays() const { return stays_; }

 private:
  void is_taken(Clock::time_point now);

  int core_;
  bool stays_ = false;
  long turns_ = 0;  ///< of others, so far
  long turns_at_begin_ = 0;
  int times_taken_ = 0;
  Clock::time_point came_at_;
  Clock::time_point taken_at_;
  std::chrono::seconds pause_{0};
  Clock::time_point not_before_;  ///< until then it leaves all to the kernel
};

}  // namespace rondo
