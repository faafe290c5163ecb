#pragma once

// Two ring endpoints over plain memory of the test, which the test may damage.

#include <cstring>
#include <memory>
#include <vector>

#include "transport/ring/ring_endpoint.h"

namespace rondo::transport {

/// Lends one range of memory by its offset; private memory can be read by its address.
class RangeMemory final : public RemoteMemory {
 public:
  explicit RangeMemory(std::span<std::byte> range) : range_(range) {}

  std::optional<std::uint64_t> location_of(const std::byte* data, std::size_t bytes) override {
    if (data < range_.data() || data + bytes > range_.data() + range_.size()) return {};
    return static_cast<std::uint64_t>(data - range_.data());
  }
  Result<std::byte*> address_of(std::uint64_t location, std::size_t bytes) override {
    if (location > range_.size() || bytes > range_.size() - location)
      return Status(ErrorCode::kDataLoss, "outside the range");
    return range_.data() + location;
  }
  bool peer_reads_private(std::size_t) const override { return false; }
  Status read_private(std::uint64_t address, std::byte* target, std::size_t bytes) override {
    std::memcpy(target, reinterpret_cast<const std::byte*>(address), bytes);
    return {};
  }

 private:
  std::span<std::byte> range_;
};

class PlainEndpoint final : public RingEndpoint {
 public:
  using RingEndpoint::RingEndpoint;
  TransportKind kind() const override { return TransportKind::kInproc; }
  void abort(const Status&) override {}
  void ring_doorbell() override { ++doorbells; }
  int doorbells = 0;
};

class RingPair {
 public:
  static constexpr std::size_t kSlotBytes = 256;
  static constexpr std::size_t kSlotCount = 4;
  /// Of kBufferedLane.
  static constexpr Slots kBuffer{.memory = nullptr, .count = 32, .bytes = 128};

  explicit RingPair(std::size_t slot_bytes = kSlotBytes) : slot_bytes_(slot_bytes) {
    for (int rank : {0, 1}) endpoints_[rank] = std::make_unique<PlainEndpoint>(link(rank));
  }

  PlainEndpoint& endpoint(int rank) { return *endpoints_[rank]; }
  PlaceHead& head(int rank) { return *heads_[rank]; }
  Channel& channel(int rank) { return *channels_[rank]; }
  RangeMemory& memory() { return memory_; }
  /// Memory that can be lent.
  std::span<std::byte> range() { return range_; }

  void begin(const Call& call) {
    for (auto& endpoint : endpoints_) endpoint->begin(call, {});
  }

 private:
  RingLink link(int rank) {
    const int peer = 1 - rank;
    return {.rank = rank,
            .peer = peer,
            .own_head = heads_[rank].get(),
            .peer_head = heads_[peer].get(),
            .own_bulletins = bulletins_[rank].get(),
            .peer_bulletins = bulletins_[peer].get(),
            .own_channel = channels_[rank].get(),
            .peer_channel = channels_[peer].get(),
            .own_slots = slots(rank),
            .peer_slots = slots(peer),
            .own_buffer = buffer(rank),
            .peer_buffer = buffer(peer),
            .memory = &memory_};
  }
  Slots slots(int rank) {
    return {.memory = slots_[rank].data(), .count = kSlotCount, .bytes = slot_bytes_};
  }

  Slots buffer(int rank) {
    Slots slots = kBuffer;
    slots.memory = buffers_[rank].data();
    return slots;
  }

  std::size_t slot_bytes_;
  std::vector<std::byte> range_ = std::vector<std::byte>(1 << 19);
  RangeMemory memory_{range_};
  std::unique_ptr<PlaceHead> heads_[2] = {std::make_unique<PlaceHead>(),
                                          std::make_unique<PlaceHead>()};
  std::unique_ptr<BulletinBoard> bulletins_[2] = {std::make_unique<BulletinBoard>(),
                                                  std::make_unique<BulletinBoard>()};
  std::unique_ptr<Channel> channels_[2] = {std::make_unique<Channel>(),
                                           std::make_unique<Channel>()};
  std::vector<std::byte> slots_[2] = {std::vector<std::byte>(kMaxLanes * kSlotCount * slot_bytes_),
                                      std::vector<std::byte>(kMaxLanes* kSlotCount* slot_bytes_)};
  std::vector<std::byte> buffers_[2] = {std::vector<std::byte>(kBuffer.count * kBuffer.bytes),
                                        std::vector<std::byte>(kBuffer.count* kBuffer.bytes)};
  std::unique_ptr<PlainEndpoint> endpoints_[2];
};

}  // namespace rondo::transport
