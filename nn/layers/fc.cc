// The fully connected layer: one mul for each input, their sum, the bias, the activation.

#include "nn/layers/layer_helper.h"
#include "rondo/error.h"

namespace rondo::nn::inline v1 {
namespace {

std::int64_t row_size(const Var& input, int num_flatten_dims) {
  const auto& dims = input.dims();
  const auto first = static_cast<std::size_t>(num_flatten_dims);
  if (num_flatten_dims < 1 || dims.size() <= first) {
    throw Error(ErrorCode::kInvalidArgument,
                "fc: input '" + input.name() + "' " + to_string(dims) + " needs more axes than " +
                    "num_flatten_dims, which is " + std::to_string(num_flatten_dims));
  }
  const std::int64_t size =
      count_of(Dims(dims.begin() + static_cast<std::ptrdiff_t>(first), dims.end()));
  if (size < 1) {
    throw Error(ErrorCode::kInvalidArgument, "fc: input '" + input.name() + "' " + to_string(dims) +
                                                 " has no known size from axis " +
                                                 std::to_string(num_flatten_dims) + " on");
  }
  return size;
}

Var multiply(LayerHelper& helper, const Var& input, std::int64_t size, const FcOptions& options) {
  const Var weight =
      helper.parameter(options.weight, "w", {row_size(input, options.num_flatten_dims), size},
                       input.dtype(), Initializer::xavier_uniform());
  Op op;
  op.type = "mul";
  op.inputs = {{"X", {input.name()}}, {"Y", {weight.name()}}};
  op.attributes["x_num_col_dims"] = std::int64_t{options.num_flatten_dims};
  return helper.append(op);
}

Var add_all(LayerHelper& helper, const std::vector<std::string>& products) {
  Op op;
  op.type = "sum";
  op.inputs["X"] = products;
  return helper.append(op);
}

Var add_bias(LayerHelper& helper, const Var& product, std::int64_t size, const FcOptions& options) {
  const Var bias =
      helper.parameter(options.bias, "b", {size}, product.dtype(), Initializer::constant(0));
  Op op;
  op.type = "elementwise_add";
  op.inputs = {{"X", {product.name()}}, {"Y", {bias.name()}}};
  op.attributes["axis"] = std::int64_t{options.num_flatten_dims};
  return helper.append(op);
}

Var activate(LayerHelper& helper, const Var& input, const std::string& act) {
  if (act.empty()) return input;
  if (act != "relu" && act != "softmax") {
    throw Error(ErrorCode::kInvalidArgument,
                "fc: act is '" + act + "', expected '', 'relu' or 'softmax'");
  }
  Op op;
  op.type = act;
  op.inputs["X"] = {input.name()};
  return helper.append(op);
}

}  // namespace

Var fc(const std::vector<Var>& inputs, std::int64_t size, const FcOptions& options) {
  if (inputs.empty() || size < 1) {
    throw Error(ErrorCode::kInvalidArgument, "fc: needs an input and a size of 1 or more, got " +
                                                 std::to_string(inputs.size()) +
                                                 " inputs and size " + std::to_string(size));
  }
  for (const Var& input : inputs) input_name("fc", input);
  LayerHelper helper("fc", options.name);
  std::vector<std::string> products;
  Var result;
  for (const Var& input : inputs) {
    result = multiply(helper, input, size, options);
    products.push_back(result.name());
  }
  if (products.size() > 1) result = add_all(helper, products);
  if (options.with_bias) result = add_bias(helper, result, size, options);
  return activate(helper, result, options.act);
}

Var fc(const Var& input, std::int64_t size, const FcOptions& options) {
  return fc(std::vector<Var>{input}, size, options);
}

}  // namespace rondo::nn::inline v1
