#include "transport/endpoint/endpoint.h"

namespace rondo::transport {
namespace {

Status no_inline_messages() {
  return Status(ErrorCode::kInternal, "this endpoint has no inline messages");
}

}  // namespace

Result<bool> Endpoint::send_inline(std::span<const std::byte>) { return no_inline_messages(); }

Result<bool> Endpoint::recv_inline(std::span<std::byte>) { return no_inline_messages(); }

}  // namespace rondo::transport
