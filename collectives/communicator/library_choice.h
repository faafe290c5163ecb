#pragma once

// Which calls of a place are made by the library of its devices (NCCL, a plug-in's), whole or by
// its messages: where all ranks have the same one and it can serve them. A function of what all
// ranks hold equal. Threads: those of the place.

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/communicator/call_arguments.h"
#include "collectives/execute/device/device_place.h"
#include "collectives/execute/host/drive.h"
#include "collectives/execute/host/plan.h"
#include "collectives/execute/library/library_member.h"
#include "collectives/execute/library/library_work.h"
#include "collectives/kernels/device_reduce.h"
#include "collectives/schedule/rotation.h"
#include "core/status.h"
#include "rondo/communicator.h"
#include "rondo/device.h"
#include "transport/mesh/mesh.h"

namespace rondo::communicator {

class LibraryChoice {
 public:
  /// Borrows the mesh; the options have been resolved.
  LibraryChoice(const CommunicatorOptions& options, const transport::Mesh& mesh, Device device);

  /// OK, or why the ranks can't make calls as the options ask for it: whole, or by messages.
  Status check_options() const;
  /// Whole.
  bool takes(const CallArguments& arguments) const;
  /// Our schedules' messages.
  bool carries_messages() const;
  std::string_view name() const { return library_->name(); }
  /// Of a call that is taken. Errors: Device, System.
  Result<std::unique_ptr<execute::Runner>> runner(const CallArguments& arguments,
                                                  execute::DevicePlace& place);
  /// Of a call by one of our schedules: this rank's `plan` (borrowed) of the `world` of them.
  /// Errors: Device, System.
  Result<std::unique_ptr<execute::Runner>> runner(const CallArguments& arguments,
                                                  const execute::Plan& plan,
                                                  const schedule::FoldedWorld& world,
                                                  kernels::DeviceReduceKernel kernel,
                                                  execute::DevicePlace& place);
  /// What the library is doing ends; it is of no use any more.
  void give_up();

 private:
  Status find();
  Status check_ranks() const;
  Status check_devices() const;
  Status check_messages() const;
  Result<std::unique_ptr<execute::Runner>> run(std::unique_ptr<execute::LibraryWork> work,
                                               const CallArguments& arguments,
                                               execute::DevicePlace& place);

  const transport::Mesh& mesh_;
  Device device_;
  std::string path_;    ///< the option
  bool whole_ = false;  ///< the options leave it to a library how a call is made
  device::CollectiveLibrary* library_ = nullptr;
  Status usable_;
  std::mutex mutex_;
  std::unique_ptr<execute::LibraryMember> member_;  ///< made when first used
};

/// What is told all ranks of a place. Errors: Device; Unsupported (a library was named that is of
/// no use).
Result<transport::PlaceNote> describe_place(Device device, const CommunicatorOptions& options);

}  // namespace rondo::communicator
