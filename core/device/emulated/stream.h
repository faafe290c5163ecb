#pragma once

// A stream of an emulated device: one thread that does its work late, after seeded random pauses,
// so that code which forgets to wait reads old bytes in a test instead of being lucky.
// The streams of one seed pause alike in every run.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "core/device/emulated/alias_table.h"
#include "core/device/emulated/faults.h"
#include "core/device/stream.h"
#include "core/status.h"

namespace rondo::device {

/// How late a stream runs: before each piece of work it pauses for 0 to a limit of its own, which
/// is drawn from 0 to `longest_us`.
struct Lateness {
  std::uint64_t seed = 0;
  int longest_us = 200;
};

/// How long work takes at least, so that what overlaps can be measured. 0: as long as it takes.
struct Pace {
  double copy_bytes_per_us = 0;
  double kernel_us = 0;
};

/// What all streams of a driver have in common.
struct EmulatedStreamMeans {
  const AliasTable& table;
  Lateness lateness{};
  Pace pace{};
  std::shared_ptr<Faults> faults{};  ///< null: nothing fails on purpose
};

class EmulatedStream final : public detail::StreamImpl {
 public:
  /// The table outlives the stream. Throws std::system_error where no thread can be made.
  EmulatedStream(Device device, const EmulatedStreamMeans& means);
  /// Waits until all work is done.
  ~EmulatedStream() override;

  Device device() const override { return device_; }
  Status copy(void* target, const void* source, std::size_t bytes) override;
  Status launch(std::function<Status()> kernel) override;
  Status record(detail::EventImpl& event) override;
  Status wait(const detail::EventImpl& event) override;
  Status synchronize() override;
  void abandon(const Status& cause) override;
  bool can_wait_for_host() const override { return true; }

 private:
  /// Given how the stream fared so far, tells how it fared including this.
  using Task = std::function<Status(const Status& so_far)>;

  /// Owned by the stream and its thread, since the last handle may be dropped by work on the
  /// thread itself.
  struct Queue {
    std::mutex mutex;
    std::condition_variable work_came;
    std::condition_variable work_done;
    std::deque<Task> tasks;
    bool running = false;  ///< a task is out of `tasks` and not yet done
    bool closed = false;
    detail::Abandoned abandoned = false;
    Status cause;  ///< of that
    Status outcome;
  };

  void enqueue(Task task);
  void run_paced(Operation operation, double least_us, std::function<Status()> work);
  static void serve(Queue& queue, Lateness lateness);

  Device device_;
  EmulatedStreamMeans means_;
  std::shared_ptr<Queue> queue_;
  std::thread thread_;
};

}  // namespace rondo::device
