#include "core/device/cuda/nccl/status.h"

#include <fmt/format.h>

#include <string>

#include "core/device/driver.h"

namespace rondo::device {
namespace {

/// What to do about it; empty where NCCL's own text has to do.
std::string_view remedy(ncclResult_t code) {
  switch (code) {
    case ncclUnhandledCudaError:
      return "NCCL_DEBUG=WARN names the call of CUDA's that failed; often the device's memory is "
             "used up, or the driver is older than NCCL needs";
    case ncclSystemError:
      return "NCCL_DEBUG=WARN names what the system refused: often no network between the hosts "
             "(NCCL_SOCKET_IFNAME), or a container's /dev/shm that is too small; "
             "RONDO_DEVICE_PATH=host does without NCCL";
    case ncclInvalidUsage:
    case ncclInvalidArgument:
      return "NCCL_DEBUG=WARN says more; RONDO_DEVICE_PATH=devices or host does without NCCL";
    case ncclRemoteError: return "a rank has ended, or its connection broke";
    case ncclInternalError: return "a fault of NCCL's: NCCL_DEBUG=WARN says more";
    default: return {};
  }
}

}  // namespace

Status nccl_status(const NcclTable& table, ncclComm_t communicator, std::string_view function,
                   ncclResult_t code, std::optional<Device> device) {
  if (code == ncclSuccess || code == ncclInProgress) return {};
  const char* text = table.ncclGetErrorString(code);
  const char* last = table.ncclGetLastError(communicator);
  const bool said = last != nullptr && *last != '\0';
  const std::string_view advice = remedy(code);
  return Status(code == ncclRemoteError ? ErrorCode::kPeerLost : ErrorCode::kDevice,
                fmt::format("{}{}{} failed: {} ({}){}{}{}{}", function, device ? " of " : "",
                            device ? name_of(*device) : "", text == nullptr ? "" : text,
                            static_cast<int>(code), said ? ": " : "", said ? last : "",
                            advice.empty() ? "" : ": ", advice));
}

}  // namespace rondo::device
