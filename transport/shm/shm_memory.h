#pragma once

// Memory between two processes of one host: registered memory is named by its offset in the pool's
// segment; private memory by its address, if the kernel lets this process read the other's.
// Threads: as the endpoint that owns it.

#include <sys/types.h>

#include <memory>

#include "transport/ring/remote_memory.h"
#include "transport/shm/peer_segment.h"
#include "transport/shm/registered_pool.h"

namespace rondo::transport {

class ShmMemory final : public RemoteMemory {
 public:
  ShmMemory(const RegisteredPool* own, std::shared_ptr<PeerSegment> peer_segment, int peer,
            pid_t peer_pid)
      : own_(own), peer_segment_(std::move(peer_segment)), peer_(peer), peer_pid_(peer_pid) {}

  std::optional<std::uint64_t> location_of(const std::byte* data, std::size_t bytes) override {
    return own_->offset_of(data, bytes);
  }
  Result<std::byte*> address_of(std::uint64_t location, std::size_t bytes) override {
    return peer_segment_->address_of(location, bytes);
  }
  bool peer_reads_private(std::size_t bytes) const override {
    return peer_reads_private_ && private_read_bytes_ != 0 && bytes >= private_read_bytes_;
  }
  Status read_private(std::uint64_t address, std::byte* target, std::size_t bytes) override;

  /// Whether read_private works: the value at `address` of the peer is known to be `expected`.
  bool probe(std::uint64_t address, std::uint64_t expected);
  /// The peer's probe of this process has succeeded.
  void let_peer_read_private() { peer_reads_private_ = true; }
  bool may_read_private() const { return peer_reads_private_; }
  /// The peer is asked to read messages of at least `bytes`, if it can; 0: none.
  void read_private_from(std::size_t bytes) { private_read_bytes_ = bytes; }

 private:
  const RegisteredPool* own_;
  std::shared_ptr<PeerSegment> peer_segment_;
  int peer_;
  pid_t peer_pid_;
  bool peer_reads_private_ = false;
  std::size_t private_read_bytes_ = 0;
};

}  // namespace rondo::transport
