#include "core/device/emulated_stream.h"

#include <chrono>
#include <cstring>
#include <exception>
#include <random>
#include <utility>

#include "core/device/driver.h"
#include "core/device/soft_event.h"

namespace rondo::device {
namespace {

void pause(std::minstd_rand& random, int longest_us) {
  const int pause_us = std::uniform_int_distribution<int>(0, longest_us)(random);
  // house-allow(sleep): being late is what this stream is for.
  std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
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

EmulatedStream::EmulatedStream(Device device, const AliasTable& table, Lateness lateness)
    : device_(device), table_(table), queue_(std::make_shared<Queue>()) {
  thread_ = std::thread([queue = queue_, lateness] { serve(*queue, lateness); });
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
  return launch([&table = table_, target, source, bytes]() -> Status {
    RONDO_ASSIGN(std::byte * to, table.resolve(target, bytes));
    RONDO_ASSIGN(const std::byte* from, table.resolve(source, bytes));
    std::memmove(to, from, bytes);
    return {};
  });
}

Status EmulatedStream::launch(std::function<Status()> kernel) {
  enqueue([device = device_, kernel = std::move(kernel)](const Status& so_far) {
    return so_far.ok() ? stream_error(device, run_guarded(kernel)) : so_far;
  });
  return {};
}

Status EmulatedStream::record(detail::EventImpl& event) {
  enqueue([completion = static_cast<SoftEvent&>(event).begin_record()](const Status& so_far) {
    completion->finish(so_far);
    return so_far;
  });
  return {};
}

Status EmulatedStream::wait(const detail::EventImpl& event) {
  enqueue([waiter = event.waiter()](const Status& so_far) {
    const Status other = waiter();
    return so_far.ok() ? other : so_far;
  });
  return {};
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
  std::minstd_rand random(static_cast<std::minstd_rand::result_type>(lateness.seed));
  std::unique_lock lock(queue.mutex);
  while (true) {
    queue.work_came.wait(lock, [&] { return queue.closed || !queue.tasks.empty(); });
    if (queue.tasks.empty()) return;
    Task task = std::move(queue.tasks.front());
    queue.tasks.pop_front();
    queue.running = true;
    const Status so_far = queue.outcome;
    lock.unlock();
    pause(random, lateness.longest_us);
    Status outcome = task(so_far);
    task = nullptr;  // what it holds may be the stream itself: let go of it without the lock
    lock.lock();
    queue.running = false;
    queue.outcome = std::move(outcome);
    queue.work_done.notify_all();
  }
}

}  // namespace rondo::device
