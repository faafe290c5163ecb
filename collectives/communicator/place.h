#pragma once

// What stands behind one Communicator handle: one place's mesh, its plans, and the one path that
// every collective takes: check, find or make the plan, run it, and on an error tell the peers.
// Threads: one at a time.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "collectives/communicator/call_arguments.h"
#include "collectives/communicator/call_trace.h"
#include "collectives/communicator/plan_cache.h"
#include "collectives/communicator/planner.h"
#include "collectives/communicator/premultiplied.h"
#include "collectives/communicator/recent_calls.h"
#include "collectives/communicator/staging.h"
#include "collectives/execute/host/drive.h"
#include "collectives/execute/host/waiter.h"
#include "core/device/driver.h"
#include "core/device/stream.h"
#include "core/status.h"
#include "rondo/communicator.h"
#include "transport/mesh/mesh.h"

namespace rondo::communicator {

/// Where in a stream a call is made, if it is.
struct StreamPlace {
  /// If there is one: after which the buffers may be touched. On the device streams wait for it;
  /// on the host it has been reached.
  const detail::EventImpl* ready = nullptr;
  detail::StreamImpl* capture = nullptr;  ///< see execute::Operands
};

class Place {
 public:
  /// Errors: System, InvalidArgument (a forced algorithm that doesn't exist).
  /// `cpu_quota` is what the control groups allow, in cores; nothing: no limit.
  /// What this process can know of `make`'s errors before there is a mesh: what the environment
  /// says. Errors: InvalidArgument.
  static Status check_environment();
  static Result<std::unique_ptr<Place>> make(std::unique_ptr<transport::Mesh> mesh,
                                             const CommunicatorOptions& options, Device device,
                                             std::optional<double> cpu_quota);

  ~Place();

  int rank() const { return mesh_->rank(); }
  int size() const { return mesh_->size(); }
  Device device() const { return device_; }

  /// From beginning to end. Errors: those of admit, begin and drive.
  Status call(const CallArguments& arguments);
  Status call(const GivenCall& call);
  /// The same for arguments that have been admitted.
  Status run(const CallArguments& arguments, PreparedPlan& prepared);

  /// The plan for a call that may be made; null in a world of 1, where none is needed. May be asked
  /// while another thread drives a call. Errors: InvalidArgument, Unsupported, System; what broke
  /// the communicator.
  Result<PreparedPlan*> admit(const CallArguments& arguments);
  /// Whether an error of `admit` is this rank's device's alone, so that its peers will make the
  /// call and wait for it: it is to be told to them.
  bool is_left_alone_by(const Status& status) const;
  /// A call in a world of 1. `capture`: a stream that puts it into a graph; null: it is made now.
  /// Errors: Unsupported (what isn't on this place's device has no place in a graph).
  Status run_alone(const CallArguments& arguments, detail::StreamImpl* capture = nullptr);
  /// Begins the next call of this place, which has been admitted; `finish` must follow. An error is
  /// that of making its input ready: nothing was begun, and since the peers may be waiting in the
  /// call already, it breaks the communicator as any other error does. Errors: Device, System.
  Status begin(const CallArguments& arguments, PreparedPlan& prepared,
               const StreamPlace& stream = {});
  execute::Run& under_way() { return *run_; }
  execute::RunContext context();
  /// Who has something to do in long waits of this place's own; borrowed, for its calls.
  void set_bystander(execute::Bystander& bystander) { bystander_ = &bystander; }
  /// Ends the call that was begun; an error of it breaks the communicator and is told to the peers.
  Status finish(Status status);
  /// Tells all peers why this rank gives up; nothing where it has failed already.
  void abort(const Status& cause);
  /// The same where what fails with it is yet to be recorded: `trace().dump` has to follow.
  void abort_untold(const Status& cause);
  /// OK, or why no call can be made any more.
  Status usable() const;
  bool is_usable() const { return !is_broken_.load(std::memory_order_acquire); }
  /// While no call is under way, and graphs make some: what their hosts would see of peers, were
  /// they in them. Errors: PeerLost, or what a peer gave up with.
  Status look_after_graphs();
  execute::Waiter& waiter() { return *waiter_; }
  /// Of a call that another thread is in.
  execute::Interruption& interruption() { return interruption_; }
  const transport::Mesh& mesh() const { return *mesh_; }
  const CommunicatorOptions& options() const { return options_; }
  /// Calls from now on are planned for these. On every rank alike; no call is under way, and none
  /// has been prepared.
  void use_links(const schedule::LinkSpeeds& links);
  /// The same: calls go by the user's schedule where it is for them.
  void use_schedule(std::shared_ptr<const UserSchedule> schedule);
  /// The same: choices go by what was measured.
  void use_tuning(std::shared_ptr<const select::Tuning> tuning);
  /// The same: predictions go by how fast the world is.
  void use_pace(select::Pace pace);
  /// How often choices have changed for good: a plan of an earlier era isn't what peers make now.
  std::uint32_t era() const { return era_; }
  /// As Transport::read_private_from.
  void read_private_from(std::size_t bytes) { mesh_->read_private_from(bytes); }
  /// The same: calls go by this algorithm; empty: by that of the options. What has been prepared
  /// may still be run.
  void force(std::string_view algorithm);
  const Planner& planner() const { return planner_; }
  std::size_t segment_bytes() const { return planner_.segment_bytes(); }
  /// The hosts, and the links where they are known.
  const schedule::HostLayout& layout() const { return planner_.hosts(); }
  /// Calls that were begun.
  std::uint64_t calls() const { return last_.sequence; }
  CallInfo last_call() const;
  std::vector<PeerTraffic> traffic() const;
  /// What has been called so far was Rondo's own affair: it is in no trace, metric or traffic.
  void begin_anew();
  CallTrace& trace() { return *trace_; }
  const CallTrace& trace() const { return *trace_; }

 private:
  Place(std::unique_ptr<transport::Mesh> mesh, const CommunicatorOptions& options, Device device);
  Status get_ready(const CallArguments& arguments, PreparedPlan& prepared,
                   const StreamPlace& stream);
  void set_operands(const CallArguments& arguments, const StreamPlace& stream);
  void note(PreparedPlan& prepared);
  bool was_on_registered_memory() const;
  Status call_as(const CallArguments& given, const CallArguments& used);
  Result<PreparedPlan*> make_known(const CallArguments& given, const CallArguments& used);
  Status run_admitted(const CallArguments& arguments, PreparedPlan& prepared);
  Status send_and_run(const CallArguments& arguments, PreparedPlan& prepared);
  bool is_prompt(const CallArguments& used, const PreparedPlan& prepared) const;
  Status call_promptly(const RecentCalls::Known& known);
  void finish_promptly(const Status& status, const execute::Runner& runner);
  void number(const PreparedPlan& prepared);
  /// A call of it is admitted: whoever makes calls says so, not whoever moves them on.
  void use(PreparedPlan& prepared) { prepared.used = ++plan_uses_; }
  void begin_run(execute::Runner& runner);
  void identify(PreparedPlan& prepared, const transport::Fingerprint& key,
                const CallArguments& arguments);
  trace::Series& series_of(const PreparedPlan& prepared, const CallArguments& arguments);
  void compare_last_call() const;
  Status multiply_alone(const CallArguments& arguments);
  Status capture_alone(const CallArguments& arguments, detail::StreamImpl& stream) const;
  Result<CallArguments> make_ready(const CallArguments& arguments);
  Status give_up_before(Status cause);
  void forget_plans();
  Result<PreparedPlan*> plan_for(const CallArguments& arguments, const transport::Fingerprint& key);
  template <class Plans>
  Result<std::shared_ptr<PreparedPlan>> make_plan(Plans& plans, const CallArguments& arguments,
                                                  const transport::Fingerprint& key);

  std::unique_ptr<transport::Mesh> mesh_;
  CommunicatorOptions options_;
  std::int64_t timeout_ms_;  ///< of the call under way
  Device device_;
  std::unique_ptr<execute::Waiter> waiter_;
  execute::Interruption interruption_;
  execute::Bystander* bystander_ = nullptr;
  std::vector<transport::Endpoint*> neighbours_;
  std::unique_ptr<CallTrace> trace_;
  PlanCache plans_;
  UnevenPlans uneven_plans_;
  std::uint64_t plan_uses_ = 0;
  RecentCalls recent_calls_;
  Staging staging_;
  Premultiplied premultiplied_;
  Planner planner_;
  std::string_view transport_ = CallInfo{}.transport;  ///< that of all pairs, or "mixed"
  CallInfo last_call_;
  double registered_us_ = 0;  ///< its prediction, if its memory is registered; 0: that is as others
  transport::Call last_{};
  /// The next call's, but for its fingerprint. Copying it in begin reads what was written long
  /// before: a load of what two stores have just written waits until both have left the core.
  transport::Call next_{};
  execute::Operands operands_;                ///< of the call under way
  device::DeviceDriver* profiled_ = nullptr;  ///< of a place on a device: whose profiler sees calls
  std::uint64_t range_ = 0;                   ///< there, of the call under way
  std::optional<execute::Run> run_;           ///< the call under way
  const PreparedPlan* moves_ = nullptr;       ///< it, where that is counted by the plan
  std::optional<CallArguments> staged_;       ///< those of the call under way, brought to the host
  CallArguments unstaged_;                    ///< as they were given
  CallArguments ready_;                       ///< what runs, where that isn't what was given
  int missed_ = kNoCulprit;                   ///< by a kernel, at the last look after graphs
  std::uint32_t era_ = 0;
  Status broken_;                        ///< set before is_broken_, and then left alone
  std::atomic<bool> is_broken_ = false;  ///< may be read beside the thread that drives
};

}  // namespace rondo::communicator
