#pragma once

// The connection between two places of this process.
// Threads: one at a time.

#include <memory>

#include "transport/inproc/inproc_place.h"
#include "transport/ring/ring_endpoint.h"

namespace rondo::transport {

/// Every pointer names itself.
class InprocMemory final : public RemoteMemory {
 public:
  std::optional<std::uint64_t> location_of(const std::byte* data, std::size_t bytes) override;
  Result<std::byte*> address_of(std::uint64_t location, std::size_t bytes) override;
  bool peer_reads_private(std::size_t) const override { return false; }
  Status read_private(std::uint64_t address, std::byte* target, std::size_t bytes) override;
};

class InprocEndpoint final : public RingEndpoint {
 public:
  /// The two have joined.
  InprocEndpoint(const std::shared_ptr<InprocPlace>& own, std::shared_ptr<InprocPlace> peer);

  TransportKind kind() const override { return TransportKind::kInproc; }
  void end() override;
  void pause() override;
  Status resume() override;
  void abort(const Status& cause) override;
  void withdraw() override;

  /// Whether the peer's transport is gone and progress() doesn't know yet.
  bool has_news() const { return !knows_left_ && peer_place_->has_left(); }
  void look();
  void enter_call() override;
  void ring_doorbell() override { peer_place_->ring(); }
  void look_for_notice() override;

 private:
  InprocEndpoint(const std::shared_ptr<InprocPlace>& own, std::shared_ptr<InprocPlace> peer,
                 std::unique_ptr<InprocMemory> memory);

  std::shared_ptr<InprocPlace> own_place_;
  std::shared_ptr<InprocPlace> peer_place_;
  std::unique_ptr<InprocMemory> memory_;
  bool knows_left_ = false;
};

}  // namespace rondo::transport
