#pragma once

// The reader decorator with a thread: reads ahead while the consumer computes.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "rondo/nn/reader.h"

namespace rondo::nn::inline v1 {
namespace detail {

/// A bounded queue between the thread that reads and the stream's consumer. A sample that isn't
/// there marks the end; what the reader throws is thrown again at the consumer, in its place.
template <typename T>
class ReadAhead {
 public:
  ReadAhead(Stream<T> stream, std::size_t capacity)
      : capacity_(capacity), producer_([this, source = std::move(stream)] { produce(source); }) {}

  ~ReadAhead() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    producer_.join();
  }

  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  std::optional<T> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !ready_.empty() || ended_; });
    if (ready_.empty()) {
      if (failure_) std::rethrow_exception(failure_);
      return std::nullopt;
    }
    T sample = std::move(ready_.front());
    ready_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return sample;
  }

 private:
  void produce(const Stream<T>& stream) {
    try {
      while (std::optional<T> sample = stream()) {
        if (!push(std::move(*sample))) return;
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
  }

  /// False once nobody reads any more.
  bool push(T sample) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ready_.size() < capacity_ || stopped_; });
    if (stopped_) return false;
    ready_.push_back(std::move(sample));
    lock.unlock();
    changed_.notify_all();
    return true;
  }

  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> ready_;
  std::exception_ptr failure_;
  bool ended_ = false;
  bool stopped_ = false;
  std::thread producer_;  // last: it uses all the others
};

}  // namespace detail

/// Reads up to `count` samples ahead, in a thread of each stream's own; the order stays.
/// Errors: InvalidArgument (count 0); from the stream: what `reader` throws, after the samples
/// that came before it.
template <typename T>
Reader<T> buffered(Reader<T> reader, std::size_t count) {
  if (count == 0) {
    throw Error(ErrorCode::kInvalidArgument, "buffered: a size of 1 or more expected, found 0");
  }
  return [reader = std::move(reader), count] {
    auto ahead = std::make_shared<detail::ReadAhead<T>>(reader(), count);
    return Stream<T>([ahead] { return ahead->next(); });
  };
}

}  // namespace rondo::nn::inline v1
