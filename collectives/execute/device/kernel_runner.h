#pragma once

// Runs a plan on devices by one kernel a rank (kernels/cuda/schedule_kernel.h): for ranks of one
// host whose kernels can run at once, as places of one process do, and processes that have devices
// of their own; they see each other's memory, between processes by handles. The hosts only tell
// each other, before, where buffers and mail lie, and afterwards that they are through; in between
// they look whether the kernel has ended and whether a peer has given up. A call that is captured
// in a graph is that of the hosts alone; its kernel needs nothing of them, however often it runs,
// but that somebody ends it where a peer is lost (Place::look_after_graphs).

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collectives/execute/device/callers_turn.h"
#include "collectives/execute/device/closing.h"
#include "collectives/execute/device/device_event.h"
#include "collectives/execute/device/device_place.h"
#include "collectives/execute/device/exchange.h"
#include "collectives/execute/device/failure_cause.h"
#include "collectives/execute/device/kernel_mail.h"
#include "collectives/execute/device/kernel_program.h"
#include "collectives/execute/device/notice.h"
#include "collectives/execute/device/opening.h"
#include "collectives/execute/host/drive.h"
#include "collectives/execute/host/plan.h"
#include "collectives/kernels/device_schedule.h"
#include "core/status.h"
#include "core/ticks.h"

namespace rondo::execute {

class KernelRunner final : public Runner {
 public:
  /// What is passed is borrowed, but for the kernel. Errors: Device, Unsupported.
  static Result<std::unique_ptr<Runner>> make(const Plan& plan, DevicePlace& place,
                                              KernelMail& mail,
                                              kernels::DeviceScheduleKernel kernel);

 private:
  enum class Phase : std::uint8_t { kMeeting, kEntering, kRunning, kParting, kFinished };

  /// What ranks tell each other before a call.
  struct Introduction {
    std::array<Region, kernels::cuda::kRoles> bases{};
    Region mail{};
    Region goodbyes{};
    std::uint32_t stride = 0;
    std::uint32_t captured = 0;
    std::uint64_t gone = 0;    ///< so many GoneHandles follow
    std::uint64_t closed = 0;  ///< as Regions::closed
  };
  struct Peer {
    bool in_this_process() const { return endpoint->kind() == transport::TransportKind::kInproc; }
    /// As DevicePeer::has_told.
    bool has_told() const { return meeting.done() && closing.done(); }

    transport::Endpoint* endpoint = nullptr;
    Introduction mine{};
    Introduction theirs{};
    std::uint32_t their_end = 0;
    Exchange meeting{};
    Closing closing{};
    Opening opening{};
    Exchange parting{};
  };

  KernelRunner(const Plan& plan, DevicePlace& place, KernelMail& mail,
               kernels::DeviceScheduleKernel kernel);
  Status upload(const KernelProgram& program);
  void begin(const transport::Call& call, const Operands& operands) override;
  Status begin_call(const Operands& operands);
  Status introduce(Peer& peer);
  Result<bool> look_for_memory(Peer& peer);
  Status end(Status status, int rank) override;
  Status explained(Status status) const;
  Result<bool> step() override;
  bool finished() const override { return phase_ == Phase::kFinished; }
  int waits_for() const override;
  void arm(const std::shared_ptr<Bell>& bell) override;
  bool waits_for_caller() const override { return turn_.is_to_come(); }
  bool can_be_captured() const override { return true; }
  std::span<transport::Endpoint* const> peers() const override { return plan_.endpoints(); }

  Result<bool> go_on();
  Result<bool> meet();
  Result<bool> enter();
  Status check_peer(const Peer& peer) const;
  Status see(const Peer& peer, kernels::cuda::SchedulePeer& seen);
  bool has_peer_outside() const;
  Result<bool> launch();
  Result<bool> run();
  Result<bool> has_ended();
  Result<bool> part();
  Status what_the_kernel_says() const;
  void wait_for_the_kernel();

  const Plan& plan_;
  DevicePlace& place_;
  KernelMail& mail_;
  kernels::DeviceScheduleKernel kernel_;
  detail::StreamImpl* stream_ = nullptr;
  DeviceBytes lanes_, steps_, ports_;  ///< on the device
  kernels::cuda::ScheduleCall call_{};
  Introduction own_{};
  std::uint32_t own_end_ = 1;
  std::vector<Peer> peers_;
  std::optional<DeviceEvent> last_;
  Ticks asked_ = 0;                 ///< the driver, whether the stream has ended
  std::shared_ptr<void> may_wait_;  ///< puts off frees until the kernel has ended
  CallersTurn turn_;
  detail::StreamImpl* capture_ = nullptr;  ///< the call's kernel is put there, and isn't run
  Status failure_;                         ///< of begin, which can't tell
  FailureCause cause_;
  Phase phase_ = Phase::kFinished;
};

}  // namespace rondo::execute
