#pragma once

// Which calls of a place are made whole, by the library of its devices (NCCL, a plug-in's): where
// all ranks have the same one and it can serve them. A function of what all ranks hold equal.
// Threads: those of the place.

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/communicator/call_arguments.h"
#include "collectives/execute/device/device_place.h"
#include "collectives/execute/host/drive.h"
#include "collectives/execute/library/library_member.h"
#include "core/status.h"
#include "rondo/communicator.h"
#include "rondo/device.h"
#include "transport/mesh/mesh.h"

namespace rondo::communicator {

class LibraryChoice {
 public:
  /// Borrows the mesh; the options have been resolved.
  LibraryChoice(const CommunicatorOptions& options, const transport::Mesh& mesh, Device device);

  /// Whether calls can be made so at all; why not, if they can't.
  const Status& usable() const { return usable_; }
  bool takes(const CallArguments& arguments) const;
  std::string_view name() const { return library_->name(); }
  /// Of a call that is taken. Errors: Device, System.
  Result<std::unique_ptr<execute::Runner>> runner(const CallArguments& arguments,
                                                  execute::DevicePlace& place);
  /// What the library is doing ends; it is of no use any more.
  void give_up();

 private:
  Status find();
  Status check_ranks() const;
  Status check_devices() const;

  const transport::Mesh& mesh_;
  Device device_;
  device::CollectiveLibrary* library_ = nullptr;
  Status usable_;
  std::mutex mutex_;
  std::unique_ptr<execute::LibraryMember> member_;  ///< made when first used
};

/// What is told all ranks of a place. Errors: Device; Unsupported (a library was named that is of
/// no use).
Result<transport::PlaceNote> describe_place(Device device, const CommunicatorOptions& options);

}  // namespace rondo::communicator
