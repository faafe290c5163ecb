#pragma once

// One of our schedules with the messages of the devices' library (NCCL's send and receive) for its
// channels: the rank's plan in rounds (schedule/rounds.h), each of them kernels on this device and
// then one group of messages, all in one stream. Used where devices can't read each other's memory
// and a call has to be made by our schedules: between hosts by the library's network, too.
//
// A message that is all that its sweep reads goes straight to the sweep's memory; others wait in
// memory of this plan for the kernel that combines them. Rows go whole: the library cuts them
// itself. Kernels combine in the order of the schedule, so bits are those of every other executor.

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "collectives/execute/host/plan.h"
#include "collectives/execute/library/library_work.h"
#include "collectives/kernels/device_reduce.h"
#include "collectives/schedule/rounds.h"
#include "core/status.h"
#include "rondo/device.h"
#include "rondo/types.h"

namespace rondo::execute {

class ScheduleWork final : public LibraryWork {
 public:
  /// The plan is borrowed; `rounds` are those of its schedule, `kernel` null where nothing is
  /// reduced. `compares_sizes` as LibraryRunner's. Errors: Device (no memory).
  static Result<std::unique_ptr<LibraryWork>> make(const Plan& plan,
                                                   std::vector<schedule::Round> rounds,
                                                   Device device, DataType type,
                                                   kernels::DeviceReduceKernel kernel,
                                                   bool compares_sizes);

  int rank() const override { return plan_.schedule().request.rank; }
  std::size_t sent_to(int peer) const override;
  std::size_t received_from(int peer) const override;
  void begin(const std::byte* input, std::byte* output) override;
  Result<bool> issue(device::LibraryCommunicator& communicator,
                     detail::StreamImpl& stream) override;

 private:
  ScheduleWork(const Plan& plan, std::vector<schedule::Round> rounds, DataType type,
               kernels::DeviceReduceKernel kernel, bool compares_sizes);
  Status allocate_waiting(Device device);

  const BoundSweep& sweep_of(std::size_t lane, std::size_t sweep) const {
    return plan_.lanes()[lane][sweep];
  }
  std::byte* memory(const BoundSlice& slice) const {
    return bases_[static_cast<std::size_t>(slice.role)] + slice.offset;
  }
  std::byte* landing(std::size_t lane, const BoundSweep& sweep, std::size_t port) const;
  const std::byte* payload(const BoundSweep& sweep) const;
  Status combine(const schedule::RoundSweep& at, detail::StreamImpl& stream);
  Status exchange(const schedule::Round& round, device::LibraryCommunicator& communicator,
                  detail::StreamImpl& stream) const;

  const Plan& plan_;
  std::vector<schedule::Round> rounds_;
  DataType type_;
  kernels::DeviceReduceKernel kernel_;
  bool compares_sizes_;
  std::shared_ptr<std::byte[]> waiting_;     ///< messages that a kernel is to combine
  std::vector<std::size_t> waiting_offset_;  ///< by lane
  std::array<std::byte*, 3> bases_{};        ///< by schedule::BufferRole
  std::size_t round_ = 0;
  std::vector<const void*> sources_;
  std::vector<void*> targets_;
};

}  // namespace rondo::execute
