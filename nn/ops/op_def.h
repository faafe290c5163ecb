#pragma once

// What the graph side knows about a type of op: its slots, the types of its results, and the ops
// that compute its gradient. How it is computed is the kernels' business.

#include <string>
#include <vector>

#include "core/status.h"
#include "rondo/nn/program.h"

namespace rondo::nn {

class TypeContext;

/// A tensor's element type and shape, as far as it is known (-1) when asked.
struct TensorType {
  DataType dtype = DataType::kF32;
  Dims dims;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

std::string to_string(const TensorType& type);

/// A named list of variables; one of them unless variadic.
struct SlotDef {
  const char* name;
  bool variadic = false;
};

struct OpDef {
  std::string type;
  /// In the order in which kernels index them.
  std::vector<SlotDef> inputs;
  /// Any output may be left out by an empty name.
  std::vector<SlotDef> outputs;
  /// Sets the types of the outputs, or says what is wrong with the inputs. Used with -1 sizes while
  /// a program is built and with real ones when it runs.
  Status (*infer)(TypeContext& context) = nullptr;
  /// The ops that compute the inputs' gradients from the outputs' ones; null where there are none.
  std::vector<Op> (*gradient)(const Op& forward) = nullptr;
};

}  // namespace rondo::nn
