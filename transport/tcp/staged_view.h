#pragma once

// What a done kRecvView of a tcp endpoint refers to.

#include <cstdint>

#include "transport/endpoint/group_table.h"
#include "transport/endpoint/staging.h"

namespace rondo::transport {

struct StagedView {
  std::uint32_t slot = Staging::kNone;  ///< of the inbox
};

using TcpGroup = Group<StagedView>;
using TcpGroups = GroupTable<StagedView>;

}  // namespace rondo::transport
