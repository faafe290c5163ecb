#include "transport/inproc/inproc_endpoint.h"

#include <fmt/format.h>

#include <cstring>
#include <thread>

#include "core/copy_bytes.h"
#include "core/store_before_loads.h"

namespace rondo::transport {
namespace {

RingLink link_of(InprocPlace& own, InprocPlace& peer, RemoteMemory& memory) {
  const int rank = own.identity().rank;
  const int peer_rank = peer.identity().rank;
  return {.rank = rank,
          .peer = peer_rank,
          .own_head = &own.head(),
          .peer_head = &peer.head(),
          .own_bulletins = &own.bulletins(),
          .peer_bulletins = &peer.bulletins(),
          .own_channel = own.channel(peer_rank),
          .peer_channel = peer.channel(rank),
          .own_slots = {},
          .peer_slots = {},
          .own_buffer = own.buffer(peer_rank),
          .peer_buffer = peer.buffer(rank),
          .memory = &memory,
          .asymmetric_fence = enable_asymmetric_fence()};
}

}  // namespace

std::optional<std::uint64_t> InprocMemory::location_of(const std::byte* data, std::size_t) {
  return reinterpret_cast<std::uint64_t>(data);
}

Result<std::byte*> InprocMemory::address_of(std::uint64_t location, std::size_t) {
  return reinterpret_cast<std::byte*>(location);
}

Status InprocMemory::read_private(std::uint64_t address, std::byte* target, std::size_t bytes) {
  copy_bytes(target, reinterpret_cast<const std::byte*>(address), bytes);
  return {};
}

InprocEndpoint::InprocEndpoint(const std::shared_ptr<InprocPlace>& own,
                               std::shared_ptr<InprocPlace> peer)
    : InprocEndpoint(own, std::move(peer), std::make_unique<InprocMemory>()) {}

InprocEndpoint::InprocEndpoint(const std::shared_ptr<InprocPlace>& own,
                               std::shared_ptr<InprocPlace> peer,
                               std::unique_ptr<InprocMemory> memory)
    : RingEndpoint(link_of(*own, *peer, *memory)),
      own_place_(own),
      peer_place_(std::move(peer)),
      memory_(std::move(memory)) {}

void InprocEndpoint::enter_call() {
  store_before_loads(own_place_->touches(peer()), true);
  look_for_give_up();
}

void InprocEndpoint::pause() { end(); }

Status InprocEndpoint::resume() {
  enter_call();
  return failure();
}

void InprocEndpoint::end() { own_place_->touches(peer()).store(false, std::memory_order_release); }

void InprocEndpoint::abort(const Status& cause) {
  peer_place_->post_mail({.from = own_place_->identity().rank, .notice = abort_notice(cause)});
}

// The mail ends the peer's call, and it begins no other.
void InprocEndpoint::withdraw() {
  end();
  RingEndpoint::withdraw();
  const auto& touched = peer_place_->touches(own_place_->identity().rank);
  while (touched.load(std::memory_order_seq_cst)) std::this_thread::yield();
}

void InprocEndpoint::look_for_notice() {
  if (const auto notice = own_place_->take_mail_from(peer())) fail(abort_status(*notice, peer()));
}

void InprocEndpoint::look() {
  if (!has_news()) return;
  knows_left_ = true;
  peer_left(Status(ErrorCode::kPeerLost,
                   fmt::format("rank {} (a place of this process) destroyed its communicator, this "
                               "rank waits for it in call {}",
                               peer(), call().sequence),
                   peer()));
}

}  // namespace rondo::transport
