#include "examples/custom_device/stream.h"

#include <utility>

namespace custom_cpu {

Stream::Stream() : thread_([this] { serve(); }) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Stream::add(Work work) {
  enqueue([work = std::move(work)](bool whole) { return whole && work(); });
}

void Stream::record(OwnEvent& event) {
  enqueue([reach = event.begin_record()](bool whole) {
    reach(whole);
    return whole;
  });
}

void Stream::wait(const Event& event) {
  enqueue([waiter = event.waiter()](bool whole) { return whole && waiter(); });
}

bool Stream::synchronize() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return tasks_.empty() && !busy_; });
  return whole_;
}

void Stream::enqueue(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_all();
}

void Stream::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    const bool whole = whole_;
    lock.unlock();
    const bool still_whole = task(whole);
    lock.lock();
    whole_ = still_whole;
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace custom_cpu
