#pragma once

// Where a plan's messages are encoded and decoded: for each channel that sends encoded messages one
// segment for each posting that its endpoint takes, for each lane that gets such messages one
// segment for each source of a sweep. One allocation, made with the plan.
// Threads: those of the plan.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/status.h"

namespace rondo::execute {

class Plan;

class WireRooms {
 public:
  /// For a plan whose channels and lanes are bound. Errors: as device::allocate_memory.
  static Result<WireRooms> make(const Plan& plan);

  /// By the channel's index in Plan::senders; null where it doesn't encode.
  std::byte* of_sender(std::size_t channel) const { return at(senders_[channel]); }
  /// Null where nothing comes encoded.
  std::byte* of_lane(std::size_t lane) const { return at(lanes_[lane]); }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  std::byte* at(std::size_t offset) const {
    return offset == kNowhere ? nullptr : memory_.get() + offset;
  }
  /// The place of the next `bytes`; none for 0.
  std::size_t take(std::size_t bytes);

  std::vector<std::size_t> senders_;
  std::vector<std::size_t> lanes_;
  std::size_t bytes_ = 0;
  std::shared_ptr<std::byte[]> memory_;
};

}  // namespace rondo::execute
