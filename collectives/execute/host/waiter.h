#pragma once

// How a rank waits: spins while the machine has a core to spare for it, yields when ranks outnumber
// cores or others have run of late where it has yielded, and sleeps on its transports' descriptors
// once a wait gets long. Made once per place.

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/bell.h"
#include "core/home_core.h"
#include "core/status.h"
#include "transport/endpoint/transport.h"

namespace rondo::execute {

struct WaitPolicy {
  /// Ranks of this host don't outnumber the cores that it lets us use (its control group's quota
  /// included), nor those that share its machine's cores with it.
  bool spare_core = true;
  std::int64_t spin_us = 2000;      ///< busy, with a spare core that nobody else wants
  std::int64_t alone_us = 20;       ///< of these, without ever giving the core away
  std::int64_t yield_us = 200;      ///< giving the core away between looks, without one
  std::int64_t background_us = 30;  ///< the same, where others have the cores first
  int sleep_ms = 100;               ///< longest sleep before looking again
  int home_core = -1;               ///< -1: none (core/home_core.h)
};

class Sleeper;

/// What whoever drives a call leaves open to himself and to others.
struct WaitLimit {
  static constexpr auto kNever = std::chrono::steady_clock::time_point::max();
  std::chrono::steady_clock::time_point until = kNever;  ///< no sleep goes beyond
  bool in_background = false;  ///< others have the cores first: next to no spinning
  bool never_waits = false;    ///< only counts the time
  Sleeper* sleeper = nullptr;  ///< null: only the transports tell of what is waited for
};

/// Waits for something that no transport's descriptor tells of.
class Sleeper {
 public:
  virtual ~Sleeper() = default;
  /// Its thread is about to sleep, until `bell` rings at the latest: what it waits for is to ring.
  virtual void arm(const std::shared_ptr<Bell>& /*bell*/) {}
  /// When it has to look again by itself, whatever rings; asked behind `arm`.
  virtual std::chrono::steady_clock::time_point until() const { return WaitLimit::kNever; }
};

class Waiter {
 public:
  /// Errors: System.
  static Result<std::unique_ptr<Waiter>> make(std::span<transport::Transport* const> transports,
                                              const WaitPolicy& policy);
  ~Waiter();
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  /// Something moved: the next wait starts from the beginning.
  void restart() {
    idle_looks_ = 0;
    looks_before_ = 0;
    looked_ = false;
    has_slept_ = false;
    has_yielded_ = false;
  }
  /// One step of waiting after a look that moved nothing, or after so many that the runner made
  /// itself. Errors: what a transport's progress says.
  Status wait(const WaitLimit& limit = {}, std::uint32_t looks = 1);
  /// Ends the sleep under way, or the next one. Threads: any.
  void interrupt() const { bell_->ring(); }
  /// What that rings.
  const std::shared_ptr<Bell>& bell() const { return bell_; }

  /// For who sleeps elsewhere, on several at once or in a loop of its own: readable when there is
  /// something to look at, once armed. `arm` is true where there is already. `sleeper`: as
  /// WaitLimit::sleeper.
  int wake_fd() const { return epoll_fd_; }
  bool arm(Sleeper* sleeper);
  void disarm();
  /// How long it may sleep before it looks again, whatever the descriptors say: a millisecond at
  /// least.
  std::int64_t longest_sleep_ms() const;
  /// The wait is longer than most: what costs a little may be looked at, too.
  bool is_long() const { return has_slept_ || idle_looks_ >= kLongLooks; }
  /// The last step read all that has come: who finds nothing in that has waited for nothing.
  bool has_just_looked() const { return just_looked_; }
  bool has_spare_core() const { return policy_.spare_core; }
  /// Time since the wait began; 0 until it is long enough to be measured.
  std::int64_t waited_us() const;
  /// When the wait began; WaitLimit::kNever until that is measured.
  std::chrono::steady_clock::time_point since() const {
    return is_measured() ? start_ : WaitLimit::kNever;
  }

 private:
  static constexpr std::uint64_t kLongLooks = 256;
  static constexpr int kCrowdYields = 32;

  Waiter(std::span<transport::Transport* const> transports, const WaitPolicy& policy);
  Status watch(int fd);
  Status look(std::uint32_t looks);
  void count(std::uint32_t looks);
  bool is_time_for_clock() const;
  void let_others_run(bool in_background);
  bool keeps_core() const;
  bool only_yields() const;
  bool may_sleep(const WaitLimit& limit) const;
  Status wait_for_event(const WaitLimit& limit);
  std::uint64_t first_reading() const;  ///< the look at which the clock is read first
  /// Before the last look: that one only began to count.
  bool is_measured() const { return looks_before_ >= first_reading(); }

  std::vector<transport::Transport*> transports_;
  WaitPolicy policy_;
  int epoll_fd_ = -1;
  std::shared_ptr<Bell> bell_;
  bool all_have_fd_ = true;
  bool all_are_polled_ = true;
  bool asks_system_ = false;  ///< each look of one at least does
  std::uint64_t idle_looks_ = 0;
  std::uint64_t looks_before_ = 0;  ///< `idle_looks_` at the wait before
  int crowd_ = 0;                   ///< yields from here on in which others are taken to run
  HomeCore home_;
  bool looked_ = false;  ///< since the last sleep: what a look brings is to be worked on first
  bool just_looked_ = false;
  bool has_slept_ = false;
  bool has_yielded_ = false;  ///< with a core to spare
  std::chrono::steady_clock::time_point start_;
  /// Of the sleeper that was armed last.
  std::chrono::steady_clock::time_point sleeps_until_ = WaitLimit::kNever;
};

}  // namespace rondo::execute
