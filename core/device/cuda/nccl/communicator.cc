#include "core/device/cuda/nccl/communicator.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <future>
#include <system_error>
#include <thread>

#include "core/device/cuda/nccl/status.h"
#include "core/device/cuda/stream.h"
#include "core/dtype.h"
#include "core/log.h"

namespace rondo::device {
namespace {

ncclDataType_t nccl_type(DataType type) {
  switch (type) {
    case DataType::kI8: return ncclInt8;
    case DataType::kU8: return ncclUint8;
    case DataType::kI32: return ncclInt32;
    case DataType::kU32: return ncclUint32;
    case DataType::kI64: return ncclInt64;
    case DataType::kU64: return ncclUint64;
    case DataType::kF16: return ncclFloat16;
    case DataType::kBF16: return ncclBfloat16;
    case DataType::kF32: return ncclFloat32;
    case DataType::kF64: return ncclFloat64;
  }
  return ncclNumTypes;
}

/// Work of NCCL's goes into streams of CUDA devices alone.
CUstream native(detail::StreamImpl& stream) {
  return static_cast<CudaStream&>(stream).native_stream();
}

}  // namespace

Result<ncclRedOp_t> nccl_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum: return ncclSum;
    case ReduceOp::kProd: return ncclProd;
    case ReduceOp::kMin: return ncclMin;
    case ReduceOp::kMax: return ncclMax;
    case ReduceOp::kAvg: return ncclAvg;
    default: return Status(ErrorCode::kUnsupported, fmt::format("NCCL has no {}", to_string(op)));
  }
}

template <class Call>
Status NcclCommunicator::call(const char* function, const Call& make) {
  const CudaScope scope(*context_);
  RONDO_TRY(scope.status());
  return nccl_status(table_, communicator_, function, make(), context_->device());
}

Result<std::unique_ptr<LibraryCommunicator>> NcclCommunicator::join(
    const NcclTable& table, std::shared_ptr<const CudaContext> context, const LibraryId& id,
    int rank, int world) {
  auto made = std::make_unique<NcclCommunicator>(table, std::move(context));
  ncclUniqueId native_id{};
  static_assert(sizeof(native_id.internal) == sizeof(id.bytes));
  std::memcpy(native_id.internal, id.bytes.data(), id.bytes.size());
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  RONDO_TRY(made->call("ncclCommInitRankConfig", [&] {
    return table.ncclCommInitRankConfig(&made->communicator_, world, native_id, rank, &config);
  }));
  return std::unique_ptr<LibraryCommunicator>(std::move(made));
}

NcclCommunicator::~NcclCommunicator() {
  if (communicator_ == nullptr) return;
  if (!finalize()) {
    give_up();
    return;
  }
  const CudaScope scope(*context_);
  table_.ncclCommDestroy(communicator_);
}

bool NcclCommunicator::finalize() {
  constexpr auto kPatience = std::chrono::seconds(1);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  if (!call("ncclCommFinalize", [this] { return table_.ncclCommFinalize(communicator_); }).ok())
    return false;
  while (std::chrono::steady_clock::now() < until) {
    const auto now = ready();
    if (!now.ok()) return false;
    if (*now) return true;
    // house-allow(sleep): NCCL tells nobody when it is done.
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return false;
}

/// It has been seen to hang: then it is left behind, with all that it uses.
void NcclCommunicator::give_up() {
  if (communicator_ == nullptr) return;
  constexpr auto kPatience = std::chrono::seconds(1);
  const auto done = std::make_shared<std::promise<ncclResult_t>>();
  auto end = done->get_future();
  const auto work = [done, context = context_, give_up = table_.ncclCommAbort,
                     communicator = std::exchange(communicator_, nullptr)] {
    const CudaScope scope(*context);
    done->set_value(give_up(communicator));
  };
  try {
    std::thread(work).detach();
  } catch (const std::system_error&) {
    work();  // there are no threads left
  }
  if (end.wait_for(kPatience) == std::future_status::ready) {
    const Status ended = nccl_status(table_, nullptr, "ncclCommAbort", end.get());
    if (!ended.ok()) log(LogLevel::kWarn, [&] { return ended.message(); });
    return;
  }
  log(LogLevel::kWarn, [] { return "ncclCommAbort does not return; it is left behind"; });
}

Result<ncclResult_t> NcclCommunicator::state() const {
  if (communicator_ == nullptr)
    return Status(ErrorCode::kDevice, "the communicator of NCCL's has been given up");
  ncclResult_t state = ncclSuccess;
  RONDO_TRY(nccl_status(table_, communicator_, "ncclCommGetAsyncError",
                        table_.ncclCommGetAsyncError(communicator_, &state), context_->device()));
  return state;
}

Result<bool> NcclCommunicator::ready() {
  RONDO_ASSIGN(const ncclResult_t now, state());
  RONDO_TRY(nccl_status(table_, communicator_, "NCCL's work behind the program", now,
                        context_->device()));
  return now == ncclSuccess;
}

Status NcclCommunicator::all_reduce(const LibraryBuffers& buffers, ReduceOp op,
                                    detail::StreamImpl& stream) {
  RONDO_ASSIGN(const ncclRedOp_t native_op, nccl_op(op));
  return call("ncclAllReduce", [&] {
    return table_.ncclAllReduce(buffers.input, buffers.output, buffers.count,
                                nccl_type(buffers.type), native_op, communicator_, native(stream));
  });
}

Status NcclCommunicator::reduce(const LibraryBuffers& buffers, ReduceOp op, int root,
                                detail::StreamImpl& stream) {
  RONDO_ASSIGN(const ncclRedOp_t native_op, nccl_op(op));
  return call("ncclReduce", [&] {
    return table_.ncclReduce(buffers.input, buffers.output, buffers.count, nccl_type(buffers.type),
                             native_op, root, communicator_, native(stream));
  });
}

Status NcclCommunicator::broadcast(const LibraryBuffers& buffers, int root,
                                   detail::StreamImpl& stream) {
  return call("ncclBroadcast", [&] {
    return table_.ncclBroadcast(buffers.input, buffers.output, buffers.count,
                                nccl_type(buffers.type), root, communicator_, native(stream));
  });
}

Status NcclCommunicator::all_gather(const LibraryBuffers& buffers, detail::StreamImpl& stream) {
  return call("ncclAllGather", [&] {
    return table_.ncclAllGather(buffers.input, buffers.output, buffers.count,
                                nccl_type(buffers.type), communicator_, native(stream));
  });
}

Status NcclCommunicator::reduce_scatter(const LibraryBuffers& buffers, ReduceOp op,
                                        detail::StreamImpl& stream) {
  RONDO_ASSIGN(const ncclRedOp_t native_op, nccl_op(op));
  return call("ncclReduceScatter", [&] {
    return table_.ncclReduceScatter(buffers.input, buffers.output, buffers.count,
                                    nccl_type(buffers.type), native_op, communicator_,
                                    native(stream));
  });
}

Status NcclCommunicator::send(const LibraryBuffers& buffers, int peer, detail::StreamImpl& stream) {
  return call("ncclSend", [&] {
    return table_.ncclSend(buffers.input, buffers.count, nccl_type(buffers.type), peer,
                           communicator_, native(stream));
  });
}

Status NcclCommunicator::receive(const LibraryBuffers& buffers, int peer,
                                 detail::StreamImpl& stream) {
  return call("ncclRecv", [&] {
    return table_.ncclRecv(buffers.output, buffers.count, nccl_type(buffers.type), peer,
                           communicator_, native(stream));
  });
}

Status NcclCommunicator::begin_group() {
  return call("ncclGroupStart", [this] { return table_.ncclGroupStart(); });
}

Status NcclCommunicator::end_group() {
  return call("ncclGroupEnd", [this] { return table_.ncclGroupEnd(); });
}

}  // namespace rondo::device
