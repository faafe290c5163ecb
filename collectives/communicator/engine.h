#pragma once

// What stands behind a Communicator handle and the Works of its calls: blocking calls, started
// ones, and who moves them on. Whoever waits for a call drives; while nobody does and calls are
// outstanding, the progress thread does.
//
// Until a call is started for the first time nobody else could drive: blocking calls take no baton.
//
// Threads: what a handle does (`call`, `start`, `prepare`, `abort`, `close`), one at a time; what a
// Work does, any.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "collectives/communicator/call_driver.h"
#include "collectives/communicator/progress_thread.h"
#include "core/status.h"

namespace rondo::communicator {

class Engine {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr TimePoint kNever = execute::WaitLimit::kNever;

  Engine(std::unique_ptr<Place> place, bool has_progress_thread);
  ~Engine() { close(); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Place& place() const { return *place_; }
  Result<CallInfo> last_call();
  Result<std::vector<PeerTraffic>> traffic();
  Result<std::string> metrics();
  Status tell(TraceFunction function);

  /// The blocking call. `plan`: null, or the one that these arguments have been admitted with.
  Status call(const CallArguments& arguments, const std::shared_ptr<PreparedPlan>& plan = nullptr);
  /// The same, of one that is likely to be the one before again.
  Status call(const GivenCall& call);
  /// One holder is the caller's: `drop` gives it back. `stream`: see rondo::Call::on; null: none.
  /// Errors: as Place::admit, and those of the stream.
  Result<PendingCall*> start(const CallArguments& arguments,
                             std::shared_ptr<PreparedPlan> plan = nullptr,
                             detail::StreamImpl* stream = nullptr);
  /// Null in a world of 1. `stream`: as for start. Errors: as Place::admit, and that the call has
  /// no place in that stream.
  Result<std::shared_ptr<PreparedPlan>> prepare(const CallArguments& arguments,
                                                const detail::StreamImpl* stream = nullptr);
  void abort(const Status& cause);
  /// As Place::use_links; no call is outstanding.
  void use_links(const schedule::LinkSpeeds& links) { place_->use_links(links); }
  void use_tuning(std::shared_ptr<const select::Tuning> tuning) {
    place_->use_tuning(std::move(tuning));
  }
  void use_pace(select::Pace pace) { place_->use_pace(std::move(pace)); }
  /// As Place::begin_anew.
  Status begin_anew();
  void force(std::string_view algorithm) { place_->force(algorithm); }
  void read_private_from(std::size_t bytes) { place_->read_private_from(bytes); }
  /// The handle is gone: what is outstanding fails with Cancelled; leaves the world.
  void close();

  bool test(PendingCall& call);
  /// False where it isn't done at `until`. Errors: InvalidArgument (a continuation that waits).
  Result<bool> wait(PendingCall& call, TimePoint until = kNever);
  void cancel(PendingCall& call);
  /// Errors: InvalidArgument (it has one).
  Status then(PendingCall& call, std::function<void(const Error*)> continuation);
  void drop(PendingCall& call) { driver_.pool().release(call); }

  /// For a thread that waits for calls of several engines: `nudge` does what can be done now, and
  /// `nudge_again` what that has brought; true if anything moved.
  bool nudge();
  bool nudge_again();
  /// As CallDriver::take_to_sleep.
  bool take_to_sleep();
  /// Nobody waits any more: calls that are left are the progress thread's, if there is one.
  void leave_to_thread();
  /// See Communicator::descriptor. Errors: System.
  Result<int> descriptor();
  std::size_t progress();
  CallDriver& driver() { return driver_; }
  execute::Waiter& waiter() { return place_->waiter(); }

 private:
  class Entry;
  class Glance;
  template <class Look>
  auto undisturbed(Look&& look) -> Result<decltype(look(std::declval<Place&>()))>;
  Status check_alone() const;
  bool abort_alone(const Status& cause);
  Status become_asynchronous();
  void heed();
  bool is_outdated(const std::shared_ptr<PreparedPlan>& plan) const;
  Status call_by(const CallArguments& arguments, const std::shared_ptr<PreparedPlan>& plan);
  Status call_behind_others(const GivenCall& call);
  Status call_behind_others(const CallArguments& arguments,
                            const std::shared_ptr<PreparedPlan>& plan);
  Result<PendingCall*> push(const CallArguments& arguments, std::shared_ptr<PreparedPlan> plan,
                            detail::StreamImpl* stream = nullptr,
                            detail::StreamImpl* capture = nullptr);
  Result<PendingCall*> capture(const CallArguments& arguments, std::shared_ptr<PreparedPlan> plan,
                               detail::StreamImpl& stream);
  Result<PendingCall*> capture_alone(const CallArguments& arguments, detail::StreamImpl& stream);
  Status synchronize_before(const CallArguments& arguments, std::shared_ptr<PreparedPlan>& plan,
                            detail::StreamImpl& stream);
  Status check_stream(const CallArguments& arguments, const detail::StreamImpl& stream) const;
  void give_back();
  void begin_or_ring();
  void stay_ready();
  void look_after_graphs();
  void make_room();
  Status admit_exchange(const CallArguments& arguments) const;
  Result<std::shared_ptr<PreparedPlan>> admit(const CallArguments& arguments);
  Status told(Status status);

  std::unique_ptr<Place> place_;
  CallDriver driver_;
  std::unique_ptr<ProgressThread> progress_;             ///< null: there is none
  std::vector<std::shared_ptr<PreparedPlan>> captured_;  ///< graphs need what they hold
  std::atomic<bool> asynchronous_ = false;  ///< a call has been started: others may drive
  /// The thread in a call of the handle, as engine.cc numbers them; or that one of them looks.
  std::atomic<std::uintptr_t> inside_ = 0;
  const int rank_;  ///< and size, for whoever comes when the place is gone
  const int size_;
};

}  // namespace rondo::communicator
