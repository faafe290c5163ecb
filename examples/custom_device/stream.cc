#include "examples/custom_device/stream.h"

#include <utility>

namespace custom_cpu {

void Record::reach(bool whole) {
  const std::lock_guard lock(mutex_);
  reached_ = true;
  whole_ = whole;
  came_.notify_all();
}

bool Record::reached() const {
  const std::lock_guard lock(mutex_);
  return reached_;
}

bool Record::wait() const {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [this] { return reached_; });
  return whole_;
}

std::shared_ptr<const Record> Event::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

std::shared_ptr<Record> Event::begin_record() {
  const std::lock_guard lock(mutex_);
  latest_ = std::make_shared<Record>();
  return latest_;
}

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

void Stream::record(Event& event) {
  enqueue([record = event.begin_record()](bool whole) {
    record->reach(whole);
    return whole;
  });
}

void Stream::wait(const Event& event) {
  enqueue([record = event.latest()](bool whole) {
    const bool other_whole = record == nullptr || record->wait();
    return whole && other_whole;
  });
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
