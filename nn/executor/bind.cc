#include "nn/executor/bind.h"

#include <algorithm>

#include "nn/ops/type_context.h"

namespace rondo::nn {
namespace {

Status invalid(const std::string& what) { return Status(ErrorCode::kInvalidArgument, what); }

bool has_no_rows(const Dims& dims) {
  return std::any_of(dims.begin(), dims.end(), [](std::int64_t size) { return size == 0; });
}

}  // namespace

Status check_fed(const VarDesc& var, const Tensor& tensor) {
  if (tensor.empty()) return invalid("feed '" + var.name + "' has no value");
  if (tensor.device().kind != DeviceKind::kHost) {
    return Status(ErrorCode::kUnsupported, "feed '" + var.name + "' is on device " +
                                               rondo::to_string(tensor.device().kind) +
                                               "; this executor computes on the host");
  }
  const TensorType expected{var.dtype, var.dims};
  const TensorType got{tensor.dtype(), tensor.dims()};
  if (expected.dtype != got.dtype || !compatible(expected.dims, got.dims)) {
    return invalid("feed '" + var.name + "' should be " + to_string(expected) +
                   " (-1: any size), got " + to_string(got));
  }
  if (has_no_rows(got.dims)) return invalid("feed '" + var.name + "' is empty: " + to_string(got));
  return {};
}

Result<Tensor> persistable_value(const VarDesc& var, bool needs_value, Scope& scope) {
  const Tensor* found = scope.find_var(var.name);
  const bool has_value = found != nullptr && !found->empty();
  const TensorType expected{var.dtype, var.dims};
  if (has_value && TensorType{found->dtype(), found->dims()} == expected) return *found;
  if (needs_value && !has_value) {
    return invalid("variable '" + var.name +
                   "' is persistable and has no value in the scope: run the startup program first");
  }
  if (needs_value) {
    return invalid("variable '" + var.name + "' should be " + to_string(expected) +
                   ", the scope has " + to_string(TensorType{found->dtype(), found->dims()}));
  }
  scope.var(var.name) = Tensor(var.dtype, var.dims);
  return scope.var(var.name);
}

}  // namespace rondo::nn
