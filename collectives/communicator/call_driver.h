#pragma once

// Moves the calls that were started on one place on, in order: whoever holds the baton.
// Threads: `push` and `full` for the thread of the handle; what is marked so for the holder of the
// baton; the rest any.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "collectives/communicator/call_queue.h"
#include "collectives/communicator/conversations.h"
#include "collectives/communicator/pending_call.h"
#include "collectives/communicator/place.h"
#include "collectives/communicator/readiness.h"
#include "core/bell.h"

namespace rondo::communicator {

class CallDriver : private execute::Sleeper, private execute::Bystander {
 public:
  explicit CallDriver(Place& place);
  CallDriver(const CallDriver&) = delete;
  CallDriver& operator=(const CallDriver&) = delete;

  /// With the baton: what whoever drives waits for.
  execute::Sleeper& sleeper() { return *this; }

  CallPool& pool() { return pool_; }
  Readiness& readiness() { return readiness_; }
  bool idle() const { return outstanding() == 0; }
  std::size_t outstanding() const { return outstanding_.load(std::memory_order_acquire); }
  bool full() const { return collectives_.full() || exchanges_.full(); }
  void push(PendingCall& call);
  /// Makes a send or a receive that has been checked, where that can be done now: as if it had been
  /// pushed and driven. False where not. A blocking one looks for a while where nothing else is
  /// outstanding.
  bool exchange_at_once(const CallArguments& arguments);
  /// The same of one that was started, one holder less.
  bool exchange_at_once(PendingCall& call);

  bool try_take();
  /// The same; where another thread has the baton, it is told that somebody wanted to look, and
  /// says so by the descriptor once it has given it back.
  bool try_take_or_tell();
  /// Where calls are outstanding, and a loop of the program's moves them on, it is told so.
  void give_back();
  /// The same where this thread has other drivers' batons: nothing of the program's runs. `answer`
  /// follows, once it has given back those.
  void let_go();
  /// What was asked for by `give_up_later` is done, unless somebody has the baton, who does it
  /// then.
  void answer();
  /// Whether this thread has the baton.
  bool has_baton() const { return holder_.load(std::memory_order_relaxed) == this_thread(); }
  /// Takes the baton from whoever drives in the background; false if `call` (null: none) is done,
  /// or `until` has come, before.
  bool take(const PendingCall* call, std::chrono::steady_clock::time_point until);
  /// The same from whoever drives, also for calls of its own: it steps aside. For what is short, or
  /// ends what is waited for. False if `call` (null: none) is done before.
  bool take_now(const PendingCall* call = nullptr);
  /// Until no thread is on its way to the baton any more, once nothing is outstanding: none comes
  /// again.
  void await_leavers() const;
  bool is_wanted() const { return wanted_.load(std::memory_order_relaxed) != 0; }
  /// Tries to take the baton for a sleep in which whoever wants it interrupts the waiter. False
  /// also where others want it already, or nothing is outstanding. `is_spared`: who has it drives
  /// in the background alone, and is asked for it.
  bool take_to_sleep(bool is_spared);
  /// With the baton of `take_to_sleep`: asks to be woken by the waiter's descriptor, until
  /// `disarm`. How long (ms) that may be relied on: 0 where there is something to look at already.
  std::int64_t arm_to_sleep();
  void disarm() { place_.waiter().disarm(); }

  /// With the baton: until `awaited` is done (null: until nothing is outstanding) or the limit is
  /// reached; one in the background also until somebody wants the baton. False where this thread
  /// hasn't got it any more: it was given to somebody who wanted it now, and what this one waits
  /// for has come meanwhile, or the limit.
  bool drive(const PendingCall* awaited, const execute::WaitLimit& limit);
  /// With the baton: until another call can be pushed.
  void drive_until_room();
  /// With the baton: what can be done now; true if anything moved. Where nothing did and a loop of
  /// the program's moves calls on, it may sleep until there is something to do again.
  bool look();
  /// With the baton, behind `look`: works on what that has brought, since no descriptor tells of it
  /// again. True if anything moved.
  bool look_again();
  /// With the baton: as Place::look_after_graphs, whose error breaks the communicator; nothing
  /// while calls are outstanding, whose drivers look themselves.
  void look_after_graphs();
  /// With the baton: breaks the communicator, unless it is broken; everything outstanding fails.
  void give_up(const Status& cause);
  /// With the baton: ends the call alone where it is a message that no peer knows of yet; otherwise
  /// gives up.
  void cancel(PendingCall& call, const Status& cause);
  /// As `give_up`, for good: whoever takes the baton from now on finds nothing to do, and doesn't
  /// touch the place.
  void end(const Status& cause);
  /// The same as `give_up`, from inside a function of the program, without waiting for the baton:
  /// at once where nobody has it, else as soon as whoever has it isn't in such a function. With
  /// `call`, which this thread holds, as `cancel`, and only if that isn't done by then.
  void give_up_later(const Status& cause, PendingCall* call = nullptr);

  /// Ends a call that nobody has seen yet and that needs no driving, one holder less.
  void finish_at_once(PendingCall& call, Status status);
  /// Runs the continuation of a call that was done before it had one.
  void continue_now(PendingCall& call);
  /// Whether this thread is inside a function that a program gave to one of these calls: a
  /// continuation or a custom reduction; maybe of calls of another driver's inside that.
  bool is_called_back() const;
  /// The same of any driver: such a thread may have what others wait for.
  static bool is_any_called_back();

 private:
  static const void* this_thread();
  void complete(PendingCall& call, Status status);
  /// Its two halves: what is noted of its end; its continuation, and who waits for it.
  void tell_end(PendingCall& call, Status status);
  void finish(PendingCall& call);
  void settle();
  void end_expired();
  /// To those that want the baton now.
  enum class GivesWay : std::uint8_t { kNever, kForAWhile, kAlways };
  bool gives_way();
  bool want(const PendingCall* call, std::chrono::steady_clock::time_point until,
            GivesWay gives_way);
  bool await_baton(const PendingCall* call, std::chrono::steady_clock::time_point until,
                   GivesWay gives_way);
  bool step_aside(const PendingCall* awaited, std::chrono::steady_clock::time_point until);
  bool is_over(const execute::WaitLimit& limit, bool moved) const;
  bool turn();
  bool turn_all();
  bool look_before_sleep();
  void let_sleep();
  void end_sleep();
  bool turn_front();
  bool waits_for_stream() const;
  bool turn_exchanges();
  bool end_exchanges(const Result<bool>& stepped);
  bool make_at_once(const CallArguments& arguments, int looks);
  void wait(execute::WaitLimit limit);
  void read(const execute::WaitLimit& limit, std::uint32_t looks);
  void read_now_and_then();
  /// In a call that the place makes by itself: nothing else is outstanding.
  Result<bool> take_unexpected() override;
  void rest() override { conversations_.pause(); }
  void arm(const std::shared_ptr<Bell>& bell) override;
  std::chrono::steady_clock::time_point until() const override;
  bool begin_front();
  void end_front(Status status);
  void pop_front(Status status);
  void resume_front();
  void pause_all();

  Place& place_;
  CallPool pool_;
  Readiness readiness_;
  CallQueue collectives_;  ///< the first is the one under way
  CallQueue exchanges_;    ///< on their way to `conversations_`
  std::atomic<std::size_t> outstanding_ = 0;
  // With the baton:
  bool looked_in_vain_ = false;   ///< all that has been read was worked on
  bool found_looked_at_ = false;  ///< the same, when the baton was taken
  Conversations conversations_;
  std::size_t conversing_ = 0;  ///< calls that `conversations_` has
  std::vector<PendingCall*> exchanged_;
  std::uint32_t turns_ = 0;  ///< that moved something
  /// All that has come was read, so that the next turn can say what has waited for too long: of the
  /// call under way, and of messages.
  bool judges_ = false;
  bool judges_messages_ = false;
  bool front_begun_ = false;
  bool front_rings_ = false;  ///< its stream has been asked to, when it comes there
  bool lets_sleep_ = false;   ///< the program's loop, until somebody takes the baton
  std::atomic<std::uint32_t> is_driven_ = 0;   ///< the baton: 1 where somebody has it
  std::atomic<const void*> holder_ = nullptr;  ///< the thread that has it, by `this_thread`
  std::atomic<bool> missed_ = false;           ///< somebody wanted it, and went on without
  std::atomic<int> wanted_ = 0;                ///< threads that wait for it
  std::atomic<int> wanted_now_ = 0;            ///< those of these that can't wait for long
  std::atomic<std::uint32_t> gave_way_ = 0;    ///< how often somebody let those go first
  /// By `give_up_later`.
  struct Demand {
    Status cause;
    PendingCall* call = nullptr;
  };
  std::mutex demands_mutex_;
  std::vector<Demand> demands_;
  std::atomic<bool> has_demands_ = false;
  /// Of the place's waiter, which may be gone when a thread that comes too late rings.
  std::shared_ptr<Bell> bell_;
};

}  // namespace rondo::communicator
