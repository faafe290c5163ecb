#include "transport/endpoint/endpoint.h"

namespace rondo::transport {
namespace {

Status no_eager_messages() {
  return Status(ErrorCode::kInternal, "this endpoint has no eager messages");
}

}  // namespace

Result<bool> Endpoint::send_eager(std::span<const std::byte>) { return no_eager_messages(); }

Result<const std::byte*> Endpoint::recv_eager(std::size_t) { return no_eager_messages(); }

}  // namespace rondo::transport
