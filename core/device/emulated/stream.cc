#include "core/device/emulated/stream.h"

#include <chrono>
#include <cstring>
#include <exception>
#include <random>
#include <utility>

#include "core/device/driver.h"
#include "core/device/emulated/event.h"

namespace rondo::device {
namespace {

/// How long a stream pauses each time. One is late as a whole, another hardly ever: where all are
/// late alike, nobody is late for anybody.
class Pauses {
 public:
  explicit Pauses(const Lateness& lateness) : random_(lateness.seed) {
    // Streams have seeds that are near each other, and so would be what is drawn first.
    random_.discard(16);
    longest_us_ = draw(lateness.longest_us);
  }
  void pause() {
    // house-allow(sleep): being late is what this stream is for.
    std::this_thread::sleep_for(std::chrono::microseconds(draw(longest_us_)));
  }

 private:
  int draw(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }

  std::mt19937_64 random_;
  int longest_us_ = 0;
};

std::chrono::steady_clock::duration microseconds(double count) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double, std::micro>(count));
}

/// What addresses were wrong doesn't say whose work used them.
Status named(Device device, Status error) {
  const std::string name = name_of(device);
  if (error.ok() || error.message().find(name) != std::string::npos) return error;
  return Status(error.code(), name + ": " + error.message(), error.culprit(), error.where());
}

/// A kernel that throws is a failed kernel, not the end of the process.
Status run_guarded(const std::function<Status()>& kernel) {
  try {
    return kernel();
  } catch (const std::exception& error) {
    return Status(ErrorCode::kDevice, std::string("a kernel threw: ") + error.what());
  }
}

}  // namespace

EmulatedStream::EmulatedStream(Device device, const EmulatedStreamMeans& means)
    : device_(device), means_(means), queue_(std::make_shared<Queue>()) {
  thread_ = std::thread([queue = queue_, lateness = means.lateness] { serve(*queue, lateness); });
}

EmulatedStream::~EmulatedStream() {
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->closed = true;
    queue_->work_came.notify_one();
  }
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

Status EmulatedStream::copy(void* target, const void* source, std::size_t bytes) {
  if (bytes == 0) return {};
  const double rate = means_.pace.copy_bytes_per_us;
  const double least_us = rate > 0 ? static_cast<double>(bytes) / rate : 0;
  const auto copy = [&table = means_.table, target, source, bytes]() -> Status {
    RONDO_ASSIGN(std::byte * to, table.resolve(target, bytes));
    RONDO_ASSIGN(const std::byte* from, table.resolve(source, bytes));
    std::memmove(to, from, bytes);
    return {};
  };
  run_paced(Operation::kCopy, least_us, copy);
  return {};
}

Status EmulatedStream::launch(std::function<Status()> kernel) {
  run_paced(Operation::kKernel, means_.pace.kernel_us, std::move(kernel));
  return {};
}

void EmulatedStream::run_paced(Operation operation, double least_us, std::function<Status()> work) {
  const Status fault =
      means_.faults == nullptr ? Status() : means_.faults->next(operation, device_);
  enqueue([device = device_, fault, least_us, work = std::move(work)](const Status& so_far) {
    if (!so_far.ok() || !fault.ok()) return so_far.ok() ? fault : so_far;
    const auto start = std::chrono::steady_clock::now();
    Status outcome = named(device, stream_error(device, run_guarded(work)));
    // house-allow(sleep): work of a given length is what was asked for.
    if (least_us > 0) std::this_thread::sleep_until(start + microseconds(least_us));
    return outcome;
  });
}

Status EmulatedStream::record(detail::EventImpl& event) {
  auto* const own = dynamic_cast<EmulatedEvent*>(&event);
  if (own == nullptr) {
    return Status(
        ErrorCode::kInvalidArgument,
        "only an event of this process's emulated devices can be recorded in a stream of " +
            name_of(device_));
  }
  enqueue([reach = own->begin_record()](const Status& so_far) {
    reach(so_far);
    return so_far;
  });
  return {};
}

Status EmulatedStream::wait(const detail::EventImpl& event) {
  enqueue([waiter = event.waiter(), &queue = *queue_](const Status& so_far) {
    return so_far.ok() ? waiter(queue.abandoned) : so_far;
  });
  return {};
}

void EmulatedStream::abandon(const Status& cause) {
  const std::lock_guard lock(queue_->mutex);
  if (queue_->abandoned.exchange(true, std::memory_order_relaxed)) return;
  queue_->cause = cause;
}

Status EmulatedStream::synchronize() {
  if (thread_.get_id() == std::this_thread::get_id()) {
    return Status(ErrorCode::kInvalidArgument,
                  "work in a stream of " + name_of(device_) + " waits for its own stream");
  }
  std::unique_lock lock(queue_->mutex);
  queue_->work_done.wait(lock, [this] { return queue_->tasks.empty() && !queue_->running; });
  return queue_->outcome;
}

void EmulatedStream::enqueue(Task task) {
  const std::lock_guard lock(queue_->mutex);
  queue_->tasks.push_back(std::move(task));
  queue_->work_came.notify_one();
}

void EmulatedStream::serve(Queue& queue, Lateness lateness) {
  Pauses pauses(lateness);
  std::unique_lock lock(queue.mutex);
  while (true) {
    queue.work_came.wait(lock, [&] { return queue.closed || !queue.tasks.empty(); });
    if (queue.tasks.empty()) return;
    Task task = std::move(queue.tasks.front());
    queue.tasks.pop_front();
    queue.running = true;
    if (queue.outcome.ok() && queue.abandoned) queue.outcome = queue.cause;
    const Status so_far = queue.outcome;
    lock.unlock();
    if (so_far.ok()) pauses.pause();
    Status outcome = task(so_far);
    task = nullptr;  // what it holds may be the stream itself: let go of it without the lock
    lock.lock();
    if (queue.abandoned && outcome.code() == ErrorCode::kCancelled) outcome = queue.cause;
    queue.running = false;
    queue.outcome = std::move(outcome);
    queue.work_done.notify_all();
  }
}

}  // namespace rondo::device
