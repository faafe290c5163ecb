#pragma once

// What an op's type inference sees: the types of its inputs, and where to put those of its
// outputs. It also words the errors, so that all of them name the op, the variable, what was
// expected and what came.

#include "nn/ops/op_def.h"

namespace rondo::nn {

/// One list of types for each slot of the definition, in its order. Null: an output nobody wants.
using SlotTypes = std::vector<std::vector<TensorType*>>;

class TypeContext {
 public:
  TypeContext(const Op& op, const OpDef& def, const SlotTypes& inputs, const SlotTypes& outputs)
      : op_(op), def_(def), inputs_(inputs), outputs_(outputs) {}

  const Op& op() const { return op_; }
  const OpDef& def() const { return def_; }
  std::size_t input_count(std::size_t slot) const { return inputs_[slot].size(); }
  const TensorType& input(std::size_t slot, std::size_t i = 0) const { return *inputs_[slot][i]; }
  /// The type of the first variable of the input slot called `name`; null where there is no such.
  const TensorType* find_input(const std::string& name) const;
  void set_output(std::size_t slot, const TensorType& type, std::size_t i = 0);
  std::size_t output_count(std::size_t slot) const { return outputs_[slot].size(); }

  /// The error that input `slot` isn't as `expected`.
  Status wrong_input(std::size_t slot, const std::string& expected, std::size_t i = 0) const;
  /// An error unless the two inputs may have the same type and shape.
  Status require_same(std::size_t slot, const TensorType& expected, std::size_t i = 0) const;

 private:
  const Op& op_;
  const OpDef& def_;
  const SlotTypes& inputs_;
  const SlotTypes& outputs_;
};

/// Equal, or unknown (-1) on one side.
bool compatible(std::int64_t a, std::int64_t b);
bool compatible(const Dims& a, const Dims& b);

}  // namespace rondo::nn
