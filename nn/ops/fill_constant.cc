// fill_constant: Out is `dims` times the number `value`.

#include "nn/ops/builtin_ops.h"
#include "nn/ops/filled_type.h"
#include "nn/ops/op_registry.h"
#include "nn/tensor/data_type_name.h"

namespace rondo::nn {

Status infer_filled(TypeContext& context) {
  const Op& op = context.op();
  RONDO_ASSIGN(const DataType dtype, data_type_from(op.attribute<std::string>("dtype", "f32")));
  const Dims dims = op.attribute<Dims>("dims", {});
  for (const std::int64_t size : dims) {
    if (size < 0) {
      return Status(ErrorCode::kInvalidArgument,
                    "op " + op.type + " needs known sizes, got " + to_string(dims));
    }
  }
  context.set_output(0, {dtype, dims});
  return {};
}

void add_fill_constant(OpRegistry& registry) {
  registry.add({"fill_constant", {}, {{"Out"}}, infer_filled, nullptr});
}

}  // namespace rondo::nn
