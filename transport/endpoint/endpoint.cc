#include "transport/endpoint/endpoint.h"

namespace rondo::transport {
namespace {

Status no_eager_messages() {
  return Status(ErrorCode::kInternal, "this endpoint has no eager messages");
}

Status no_headings() {
  return Status(ErrorCode::kInternal, "this endpoint's messages have no headings");
}

Status no_bulletins() { return Status(ErrorCode::kInternal, "this endpoint has no bulletins"); }

}  // namespace

Result<bool> Endpoint::send_eager(std::span<const std::byte>) { return no_eager_messages(); }
Result<bool> Endpoint::lend_eager(std::span<const std::byte>) { return no_eager_messages(); }
Result<bool> Endpoint::stored_eager(std::size_t) { return no_eager_messages(); }
Result<bool> Endpoint::returned_eager() { return true; }

const std::byte* Endpoint::stored() {
  static constexpr std::byte kStored{};
  return &kStored;
}

Status Endpoint::skip_bulletin(std::size_t) { return no_bulletins(); }
Status Endpoint::publish(const Call&, std::span<const std::byte>) { return no_bulletins(); }
Result<const std::byte*> Endpoint::read_bulletin(std::size_t, int) { return no_bulletins(); }

Result<bool> Endpoint::send_headed(const Heading&, std::span<const std::byte>) {
  return no_headings();
}
Result<const Heading*> Endpoint::next_heading() { return no_headings(); }
Result<bool> Endpoint::take_headed(std::span<std::byte>) { return no_headings(); }

bool Endpoint::lends(const std::byte*, std::size_t) const { return false; }

std::byte* Endpoint::write_back(Token, StoreRegion, std::size_t) { return nullptr; }
std::byte* Endpoint::write_back_eager(StoreRegion, std::size_t) { return nullptr; }

Result<const std::byte*> Endpoint::recv_eager(std::size_t) { return no_eager_messages(); }

Ticks Endpoint::copying_since(std::uint16_t) const { return 0; }

}  // namespace rondo::transport
