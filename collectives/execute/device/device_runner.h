#pragma once

// Runs a plan on a device: the host of each rank tells its peers' hosts what its streams will have
// done, and the streams wait for each other by events. No host waits for a device before the end.
//
// A call: all peers tell each other where their buffers lie; the lanes put their work into their
// streams as notices come; every rank records a goodbye behind its work and waits, in its stream,
// for those of its peers, since they read and write its memory until then. What the call's last
// event comes after is all that any rank does to this rank's memory. No call ends before its peers
// have put their waits for its events into their streams: then the events may go. A rank whose
// stream has failed, or may still do so before it comes to the call, tells its peers of no work
// (callers_turn.h).
//
// Peers of other hosts get and send bytes by way of page-locked memory (pinned_channel.h); nothing
// of this rank's memory is theirs to touch, so there is nobody to say goodbye to.
//
// Host-driven, so it needs nothing of a device but copies, kernels and events that other processes
// can wait for: it serves ranks on one device or several, of one process or many. Source: the
// order of memory by events between streams of NCCL's user buffers and of CUDA's IPC samples.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/execute/device/callers_turn.h"
#include "collectives/execute/device/device_call.h"
#include "collectives/execute/device/device_lane.h"
#include "collectives/execute/device/failure_cause.h"
#include "collectives/execute/host/drive.h"
#include "collectives/execute/host/plan.h"
#include "core/status.h"

namespace rondo::execute {

class DeviceRunner final : public Runner {
 public:
  /// The plan's scratch is memory of the device; `check_waits` has nothing against its world.
  /// `left_out`: for tests. What is passed is borrowed,
  /// but for the kernel. Errors: Device, System, Unsupported.
  static Result<std::unique_ptr<Runner>> make(const Plan& plan, DevicePlace& place,
                                              kernels::DeviceReduceKernel kernel,
                                              std::optional<DeviceWait> left_out = std::nullopt);
  DeviceRunner(const DeviceRunner&) = delete;
  DeviceRunner& operator=(const DeviceRunner&) = delete;
  /// Its peers may have opened its events, and will be told.
  ~DeviceRunner() override;

 private:
  enum class Phase : std::uint8_t {
    kMeeting,
    kEntering,
    kRunning,
    kParting,
    kFinishing,
    kFinished
  };

  DeviceRunner(const Plan& plan, DevicePlace& place, kernels::DeviceReduceKernel kernel);
  void begin(const transport::Call& call, const Operands& operands) override;
  Status end(Status status, int rank) override;
  Result<bool> step() override;
  bool finished() const override { return phase_ == Phase::kFinished; }
  int waits_for() const override;
  void arm(const std::shared_ptr<Bell>& bell) override;
  bool waits_for_caller() const override { return turn_.is_to_come(); }
  std::span<transport::Endpoint* const> peers() const override { return call_.plan.endpoints(); }

  Status begin_call(const detail::EventImpl* ready);
  Result<bool> go_on();
  Result<bool> finish();
  Result<bool> meet();
  Result<bool> enter();
  Result<bool> run();
  Result<bool> part();
  Status say_goodbye();
  Status see_goodbye(DevicePeer& peer);
  Status join_lanes();
  Status failure() const;
  detail::StreamImpl& stream() const { return lanes_.front().stream(); }
  int rank() const { return call_.plan.schedule().request.rank; }
  Status explained(Status status) const;
  std::string where(int rank) const;

  DeviceCall call_;
  std::shared_ptr<GivenHandles> given_;
  std::vector<int> outside_;  ///< peers of other processes of this host
  std::vector<DeviceLane> lanes_;
  std::optional<DeviceEvent> last_;  ///< of the whole call; made with the runner
  /// Puts off frees until the call has ended: peers of other processes may stand still.
  std::shared_ptr<void> may_wait_;
  Regions regions_{};
  CallersTurn turn_;
  Status failure_;  ///< of begin, which can't tell
  FailureCause cause_;
  bool called_ = false;
  Phase phase_ = Phase::kFinished;
};

}  // namespace rondo::execute
