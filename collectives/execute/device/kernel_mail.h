#pragma once

// What one rank's schedule kernels have on its device from call to call: where peers' letters and
// goodbyes come in, the state of its lanes, and words that the host sees, too.
// Threads: one at a time, as the place, unless said otherwise.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "collectives/execute/device/device_place.h"
#include "collectives/kernels/cuda/schedule_program.h"
#include "core/status.h"

namespace rondo::execute {

/// Memory of a device, freed with its last owner.
using DeviceBytes = std::shared_ptr<void>;
/// Errors: Device.
Result<DeviceBytes> allocate_on(DevicePlace& place, std::size_t bytes);
/// Copies, and waits until that is done. Errors: Device.
Status fill(DevicePlace& place, void* target, const void* source, std::size_t bytes);

class KernelMail {
 public:
  /// Blocks that a program leaves to the kernels of a rank's calls, which may run beside its own
  /// (RONDO_KERNEL_BLOCKS). Errors: InvalidArgument.
  static Result<unsigned int> most_blocks();
  /// Whether kernels of so many ranks run at once on a device: alike on every rank.
  static bool suits(int world);
  /// Takes its share of the blocks that the device holds at once, of which `sharers` of the world's
  /// ranks are on it. Errors: Device (also: it holds too few, or other communicators have them).
  static Result<std::unique_ptr<KernelMail>> make(DevicePlace& place, int world, int sharers);
  KernelMail(const KernelMail&) = delete;
  KernelMail& operator=(const KernelMail&) = delete;
  ~KernelMail();

  /// There is room for so many letters of each sender and lane. What kernels of other plans were
  /// told of stays. Errors: Device. Threads: any, also while a call is under way.
  Status reserve(std::uint32_t stride);

  struct Letters {
    kernels::cuda::Letter* first = nullptr;
    std::uint32_t stride = 0;
  };
  Letters letters() const;
  /// Of letters that so many fit in for each lane and sender.
  std::size_t letters_bytes(std::uint32_t stride) const;
  std::size_t goodbyes_bytes() const;
  /// So many blocks are this rank's.
  std::uint32_t blocks() const { return blocks_; }
  /// Of `world` words each: goodbyes that came, that were sent, and that were seen.
  std::uint32_t* goodbyes() const { return static_cast<std::uint32_t*>(goodbyes_.get()); }
  kernels::cuda::ScheduleState* state() const {
    return static_cast<kernels::cuda::ScheduleState*>(state_.get());
  }
  kernels::cuda::ScheduleWords& words() const {
    return *static_cast<kernels::cuda::ScheduleWords*>(words_.get());
  }
  /// For the next call, never 0; `has_ended` once its kernel says so, which one that fails, or is
  /// given up, doesn't.
  std::uint32_t number_call();
  bool has_ended(std::uint32_t number) const;
  /// The rank whose message had another size than its receiver expected, or kNoCulprit.
  int differs_from() const;
  /// Whatever kernel runs, or will run by a graph, ends without doing more. Threads: any.
  void give_up();
  /// The rank that a kernel has been waiting for, as it says now and then; or kNoCulprit. Threads:
  /// any.
  int waits_for() const;

 private:
  KernelMail(DevicePlace& place, int world, int sharers)
      : place_(place), world_(world), sharers_(sharers) {}
  Status take_blocks();
  Result<DeviceBytes> allocate_empty(std::size_t bytes);

  DevicePlace& place_;
  int world_;
  int sharers_;
  std::uint32_t blocks_ = 0;
  std::uint32_t calls_ = 0;
  std::uint32_t taken_ = 0;  ///< that the device has for no other communicator
  mutable std::mutex mutex_;
  std::uint32_t stride_ = 0;
  std::vector<DeviceBytes> letters_;
  DeviceBytes goodbyes_;
  DeviceBytes state_;
  std::shared_ptr<void> words_;
};

}  // namespace rondo::execute
