// accuracy: the fraction of rows whose label is among the k largest scores, as [1]; no gradient.

#include "nn/ops/builtin_ops.h"
#include "nn/ops/op_registry.h"
#include "nn/ops/type_context.h"

namespace rondo::nn {
namespace {

Status infer(TypeContext& context) {
  const TensorType& x = context.input(0);
  if (x.dims.size() != 2) return context.wrong_input(0, "[rows, classes]");
  RONDO_TRY(context.require_same(1, {DataType::kI64, {x.dims[0], 1}}));
  context.set_output(0, {x.dtype, {1}});
  return {};
}

}  // namespace

void add_accuracy(OpRegistry& registry) {
  registry.add({"accuracy", {{"X"}, {"Label"}}, {{"Accuracy"}}, infer, nullptr});
}

}  // namespace rondo::nn
