#include "nn/ops/type_context.h"

#include <algorithm>

namespace rondo::nn {

std::string to_string(const TensorType& type) {
  return std::string(rondo::to_string(type.dtype)) + " " + to_string(type.dims);
}

bool compatible(std::int64_t a, std::int64_t b) { return a == b || a < 0 || b < 0; }

bool compatible(const Dims& a, const Dims& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](std::int64_t x, std::int64_t y) { return compatible(x, y); });
}

const TensorType* TypeContext::find_input(const std::string& name) const {
  for (std::size_t slot = 0; slot < def_.inputs.size(); ++slot) {
    if (name == def_.inputs[slot].name) return inputs_[slot].empty() ? nullptr : inputs_[slot][0];
  }
  return nullptr;
}

void TypeContext::set_output(std::size_t slot, const TensorType& type, std::size_t i) {
  if (i < outputs_[slot].size() && outputs_[slot][i] != nullptr) *outputs_[slot][i] = type;
}

Status TypeContext::wrong_input(std::size_t slot, const std::string& expected,
                                std::size_t i) const {
  const char* name = def_.inputs[slot].name;
  return Status(ErrorCode::kInvalidArgument, "op " + op_.type + ": input " + name + " ('" +
                                                 op_.inputs.at(name)[i] + "') should be " +
                                                 expected + ", got " + to_string(input(slot, i)));
}

Status TypeContext::require_same(std::size_t slot, const TensorType& expected,
                                 std::size_t i) const {
  const TensorType& got = input(slot, i);
  if (got.dtype == expected.dtype && compatible(got.dims, expected.dims)) return {};
  return wrong_input(slot, to_string(expected), i);
}

}  // namespace rondo::nn
