#pragma once

// NCCL's codes as errors of ours.

#include <optional>
#include <string_view>

#include "core/device/cuda/nccl/table.h"
#include "core/status.h"
#include "rondo/device.h"

namespace rondo::device {

/// OK also for a call that goes on behind its caller (ncclInProgress). `communicator` may be null.
/// Errors: PeerLost where NCCL lost a peer, without a culprit, since it doesn't say whom; otherwise
/// Device. With the function, the device where it is known, what NCCL says, and what can be done
/// about it.
Status nccl_status(const NcclTable& table, ncclComm_t communicator, std::string_view function,
                   ncclResult_t code, std::optional<Device> device = std::nullopt);

}  // namespace rondo::device
