#include "nn/parallel/first_values.h"

#include <array>

#include "core/status.h"
#include "nn/executor/bind.h"
#include "nn/tensor/counter_random.h"

namespace rondo::nn {
namespace {

// The first persistable variable without a value, or nothing.
std::string missing_value(const Program& program, const Scope& scope) {
  for (const auto& desc : program.global_block().var_descs()) {
    if (!desc->persistable) continue;
    const Tensor* value = scope.find_var(desc->name);
    if (value == nullptr || value->empty()) return desc->name;
  }
  return {};
}

}  // namespace

void agree_on_program(const Program& program, const Scope& scope, Communicator& communicator) {
  const bool first = communicator.rank() == 0;
  const std::string missing = first ? missing_value(program, scope) : std::string();
  const std::uint64_t digest = digest_of(program.to_string());
  // The smallest of x and the smallest of ~x are each other's complement only where all x are
  // equal.
  std::array<std::uint64_t, 3> least = {digest, ~digest, missing.empty() ? 1U : 0U};
  communicator.all_reduce(Buffer(least.data(), least.size()), ReduceOp::kMin);
  if (least[0] != ~least[1]) {
    throw Error(ErrorCode::kMismatch,
                "rank " + std::to_string(communicator.rank()) +
                    " and others run different programs; build the same one on every rank");
  }
  if (least[2] == 0) {
    throw Error(ErrorCode::kInvalidArgument,
                (first ? "variable '" + missing + "' has no value on rank 0"
                       : std::string("a variable has no value on rank 0")) +
                    ": run the startup program there first",
                0);
  }
}

void broadcast_persistables(const Program& program, Scope& scope, Communicator& communicator) {
  for (const auto& desc : program.global_block().var_descs()) {
    if (!desc->persistable) continue;
    const bool needs_value = communicator.rank() == 0;
    const Tensor value = value_or_throw(persistable_value(*desc, needs_value, scope));
    communicator.broadcast(
        Buffer{value.data(), static_cast<std::size_t>(value.count()), value.dtype()}, 0);
  }
}

}  // namespace rondo::nn
