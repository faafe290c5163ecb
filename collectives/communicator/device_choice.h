#pragma once

// Which calls of a place run on its device, where its peers' devices can read and write its memory
// or a library of theirs does it all: a function of what all ranks hold equal, and of where the
// caller's buffers lie, which the fingerprint carries. The others are brought to the host
// (staging.h). Threads: those of the place.

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>

#include "collectives/communicator/call_arguments.h"
#include "collectives/communicator/library_choice.h"
#include "collectives/execute/device/device_place.h"
#include "collectives/execute/device/kernel_mail.h"
#include "collectives/execute/host/drive.h"
#include "collectives/execute/host/plan.h"
#include "collectives/kernels/device_schedule.h"
#include "collectives/select/device_path.h"
#include "core/device/reductions.h"
#include "core/status.h"
#include "rondo/communicator.h"
#include "rondo/device.h"
#include "transport/mesh/mesh.h"

namespace rondo::communicator {

/// Whether the ranks' kinds of devices go with a way on devices that the options ask for: worlds of
/// several kinds have that of the host alone. The same answer on all ranks. Errors: Unsupported.
Status check_kinds(const CommunicatorOptions& options, const transport::Mesh& mesh);

class DeviceChoice {
 public:
  /// `options` have been resolved.
  DeviceChoice(const CommunicatorOptions& options, const transport::Mesh& mesh, Device device);

  select::DevicePath path_of(const CallArguments& arguments) const;
  bool takes(const CallArguments& arguments) const {
    return path_of(arguments) != select::DevicePath::kHost;
  }
  /// Of a call that is taken, whether both its buffers are on the device; of any by a place on a
  /// device, whether its memory is where it is said to be. Errors: InvalidArgument, Device.
  Status check(const CallArguments& arguments) const;

  /// Errors: Unsupported: the options ask for a library, and the ranks can't use one; or for
  /// kernels that wait for each other, and the device may run one after the other.
  Status check_options() const;
  /// Has the device ready for the first call. Errors: Device.
  Status prepare() const;

  /// Of a call by schedules of ours that is taken: whether the device may refuse those of some
  /// algorithm, and whether it takes these.
  bool may_refuse(const CallArguments& arguments) const;
  bool combines(const schedule::FoldedWorld& world, const CallArguments& arguments) const;

  /// Of a call by our own schedules: what its plan is bound to. `algorithm`: its name, empty for a
  /// schedule of the user's own.
  void apply(const CommunicatorOptions& options, std::string_view algorithm,
             execute::PlanInputs& inputs) const;
  /// `world`: the schedules of which the plan has this rank's. Errors: Device, System, Unsupported.
  Result<std::unique_ptr<execute::Runner>> runner(const execute::Plan& plan,
                                                  const schedule::FoldedWorld& world,
                                                  const CallArguments& arguments);
  /// Of a call by a library. Errors: Device, System.
  Result<std::unique_ptr<execute::Runner>> library_runner(const CallArguments& arguments);
  std::string_view library_name() const { return library_.name(); }
  /// Of a call that is taken, by the formula of its way (select/device_path.h), which is none of
  /// any one algorithm. 0: unknown: kernels have no formula; parts may have sizes that this rank
  /// doesn't know.
  double predicted_us(const CallArguments& arguments) const;

  /// The rank that a kernel of ours has been waiting for, or kNoCulprit.
  int kernel_waits_for();

  /// Nobody calls any more: our kernels that run, or will run by graphs, end.
  void leave();
  /// The same after an error: libraries end what they are doing, too.
  void give_up();

 private:
  std::size_t segment_bytes_of(std::string_view algorithm) const;
  select::DeviceMeans means_of(const CallArguments& arguments) const;
  std::size_t bytes_of(const CallArguments& arguments) const;
  /// Of a call by our schedules. Errors: Unsupported: it isn't made by one kernel a rank.
  Result<kernels::DeviceScheduleKernel> schedule_kernel(const CallArguments& arguments) const;
  Result<std::unique_ptr<execute::Runner>> kernel_runner(const execute::Plan& plan,
                                                         kernels::DeviceScheduleKernel kernel);

  Status make_place();

  Device device_;
  bool asks_for_library_ = false;
  bool asks_for_messages_ = false;
  bool one_host_ = true;
  bool devices_meet_ = false;  ///< of all ranks
  bool by_kernels_ = false;    ///< and their kernels run at once, which was asked for
  int sharers_ = 1;            ///< ranks on this rank's device
  int world_ = 1;
  device::Reductions reductions_;  ///< that all ranks have kernels for
  std::unique_ptr<execute::DevicePlace> place_;
  LibraryChoice library_;
  std::mutex mail_mutex_;
  std::unique_ptr<execute::KernelMail> mail_;  ///< made when first used
};

}  // namespace rondo::communicator
