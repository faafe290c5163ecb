#pragma once

// A queue that allocates only when it holds more than it ever did: boost's circular buffer, made to
// grow. Threads: one at a time.

#include <boost/circular_buffer.hpp>
#include <cstddef>

namespace rondo::transport {

template <typename T>
class Fifo {
 public:
  explicit Fifo(std::size_t expected = 0) : items_(expected) {}

  void push(const T& item) {
    if (items_.full()) items_.set_capacity(items_.capacity() * 2 + 4);
    items_.push_back(item);
  }
  void pop() { items_.pop_front(); }
  T& front() { return items_.front(); }
  const T& front() const { return items_.front(); }
  T& operator[](std::size_t index) { return items_[index]; }
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }

 private:
  boost::circular_buffer<T> items_;
};

}  // namespace rondo::transport
