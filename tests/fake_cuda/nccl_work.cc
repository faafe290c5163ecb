// What the acted NCCL's collectives are: messages, and what each rank makes of them.

#include <functional>
#include <list>

#include "collectives/kernels/reduce.h"
#include "core/device/emulated/emulated.h"
#include "core/dtype.h"
#include "fake_nccl.h"

namespace fake_nccl {
namespace {

using rondo::DataType;
using rondo::ReduceOp;
using rondo::Status;

DataType type_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8: return DataType::kI8;
    case ncclUint8: return DataType::kU8;
    case ncclInt32: return DataType::kI32;
    case ncclUint32: return DataType::kU32;
    case ncclInt64: return DataType::kI64;
    case ncclUint64: return DataType::kU64;
    case ncclFloat16: return DataType::kF16;
    case ncclBfloat16: return DataType::kBF16;
    case ncclFloat32: return DataType::kF32;
    default: return DataType::kF64;
  }
}

ReduceOp op_of(ncclRedOp_t op) {
  switch (op) {
    case ncclSum: return ReduceOp::kSum;
    case ncclProd: return ReduceOp::kProd;
    case ncclMax: return ReduceOp::kMax;
    case ncclMin: return ReduceOp::kMin;
    default: return ReduceOp::kAvg;
  }
}

/// Puts one group together: its messages, and what follows when all of them are there.
class Group {
 public:
  explicit Group(Member& member) : member_(member) {}

  Status add(const Operation& operation);
  void run() {
    transfer(member_, messages_);
    for (const auto& step : afterwards_) step();
  }

 private:
  Status add_reduction(const Operation& operation, std::size_t bytes, int only_to, bool of_parts);
  void send(int peer, std::byte* data, std::size_t bytes) {
    messages_.push_back({peer, true, data, bytes});
  }
  void receive(int peer, std::byte* data, std::size_t bytes) {
    messages_.push_back({peer, false, data, bytes});
  }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (to != from) afterwards_.emplace_back([=] { std::copy(from, from + bytes, to); });
  }
  /// Where the stream's thread sees it.
  std::byte* see(const void* pointer, std::size_t bytes, Status& failure) const {
    auto seen = rondo::device::emulated_memory(pointer, bytes);
    if (seen.ok()) return *seen;
    failure = seen.status();
    return nullptr;
  }

  Member& member_;
  std::vector<Message> messages_;
  std::list<std::vector<std::byte>> contributions_;
  std::vector<std::function<void()>> afterwards_;
};

/// `only_to`: the rank that has the result, or -1: all.
Status Group::add_reduction(const Operation& operation, std::size_t bytes, int only_to,
                            bool of_parts) {
  Status failure;
  const auto world = static_cast<std::size_t>(member_.world);
  const auto rank = static_cast<std::size_t>(member_.rank);
  std::byte* const input = see(operation.input, of_parts ? bytes * world : bytes, failure);
  const bool has_result = only_to < 0 || only_to == member_.rank;
  std::byte* const output = has_result ? see(operation.output, bytes, failure) : nullptr;
  RONDO_TRY(failure);
  std::vector<const void*> sources;
  for (std::size_t peer = 0; peer < world; ++peer) {
    const bool is_own = peer == rank;
    const bool gets = only_to < 0 || only_to == static_cast<int>(peer);
    if (!is_own && gets) send(static_cast<int>(peer), input + (of_parts ? peer * bytes : 0), bytes);
    if (!has_result) continue;
    if (is_own) {
      sources.push_back(input + (of_parts ? rank * bytes : 0));
      continue;
    }
    contributions_.emplace_back(bytes);
    receive(static_cast<int>(peer), contributions_.back().data(), bytes);
    sources.push_back(contributions_.back().data());
  }
  if (!has_result) return {};
  RONDO_ASSIGN(const auto kernel,
               rondo::kernels::find_reduce_kernel(rondo::DeviceKind::kHost, type_of(operation.type),
                                                  op_of(operation.op)));
  const int divisor = operation.op == ncclAvg ? member_.world : 1;
  afterwards_.emplace_back([=, count = operation.count] {
    void* target = output;
    kernel({.sources = sources, .targets = {&target, 1}, .count = count, .divisor = divisor});
  });
  return {};
}

Status Group::add(const Operation& operation) {
  const std::size_t bytes = operation.count * rondo::size_of(type_of(operation.type));
  const auto own = static_cast<std::size_t>(member_.rank);
  const bool is_root = operation.peer == member_.rank;
  Status failure;
  switch (operation.kind) {
    case Kind::kAllReduce: return add_reduction(operation, bytes, -1, false);
    case Kind::kReduce: return add_reduction(operation, bytes, operation.peer, false);
    case Kind::kReduceScatter: return add_reduction(operation, bytes, -1, true);
    case Kind::kSend: send(operation.peer, see(operation.input, bytes, failure), bytes); break;
    case Kind::kReceive:
      receive(operation.peer, see(operation.output, bytes, failure), bytes);
      break;
    case Kind::kBroadcast: {
      std::byte* const output = see(operation.output, bytes, failure);
      std::byte* const input = is_root ? see(operation.input, bytes, failure) : nullptr;
      if (!is_root) receive(operation.peer, output, bytes);
      for (int peer = 0; is_root && peer < member_.world; ++peer)
        if (peer != member_.rank) send(peer, input, bytes);
      if (is_root) copy(output, input, bytes);
      break;
    }
    case Kind::kAllGather: {
      const auto world = static_cast<std::size_t>(member_.world);
      std::byte* const output = see(operation.output, bytes * world, failure);
      std::byte* const input = see(operation.input, bytes, failure);
      for (std::size_t peer = 0; failure.ok() && peer < world; ++peer) {
        if (peer == own) continue;
        send(static_cast<int>(peer), input, bytes);
        receive(static_cast<int>(peer), output + peer * bytes, bytes);
      }
      if (failure.ok()) copy(output + own * bytes, input, bytes);
      break;
    }
  }
  return failure;
}

}  // namespace

Status run(Member& member, const std::vector<Operation>& operations) {
  Group group(member);
  for (const Operation& operation : operations) {
    RONDO_TRY(group.add(operation));
  }
  group.run();
  return {};
}

}  // namespace fake_nccl
