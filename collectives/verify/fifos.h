#pragma once

// The messages in all channels of a world: lists in one pool, since most channels hold none or one,
// and a world of n ranks may have n^2 of them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::verify {

template <typename Message>
class Fifos {
 public:
  explicit Fifos(std::size_t channels) : channels_(channels) {}

  std::size_t channels() const { return channels_.size(); }
  std::uint32_t size(std::size_t channel) const { return channels_[channel].size; }

  void push(std::size_t channel, const Message& message) {
    const std::uint32_t place = new_place();
    pool_[place].message = message;
    Channel& fifo = channels_[channel];
    if (fifo.size++ == 0) {
      fifo.first = place;
    } else {
      pool_[fifo.last].next = place;
    }
    fifo.last = place;
  }

  /// The oldest message of a channel that isn't empty.
  const Message& front(std::size_t channel) const {
    return pool_[channels_[channel].first].message;
  }
  Message pop(std::size_t channel) {
    Channel& fifo = channels_[channel];
    const std::uint32_t place = fifo.first;
    fifo.first = pool_[place].next;
    --fifo.size;
    pool_[place].next = free_;
    free_ = place;
    return pool_[place].message;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Channel {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t size = 0;
  };
  struct Entry {
    Message message;
    std::uint32_t next = kNone;
  };

  std::uint32_t new_place() {
    if (free_ == kNone) {
      pool_.emplace_back();
      return static_cast<std::uint32_t>(pool_.size() - 1);
    }
    const std::uint32_t place = free_;
    free_ = pool_[place].next;
    return place;
  }

  std::vector<Channel> channels_;
  std::vector<Entry> pool_;
  std::uint32_t free_ = kNone;
};

}  // namespace rondo::verify
