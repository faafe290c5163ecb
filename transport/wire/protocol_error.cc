#include "transport/wire/protocol_error.h"

#include <fmt/format.h>

namespace rondo::transport {

Status protocol_error(int peer, const std::string& what) {
  return Status(ErrorCode::kInternal,
                fmt::format("rank {} broke the wire protocol: {}", peer, what), peer);
}

}  // namespace rondo::transport
