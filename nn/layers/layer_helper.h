#pragma once

// What every layer does: take a name, make parameters, append ops whose results are called
// <layer>.tmp_0, <layer>.tmp_1, ... Throws rondo::Error, as layers are the public door.

#include <string>
#include <vector>

#include "rondo/nn/layers.h"
#include "rondo/nn/program.h"

namespace rondo::nn {

class LayerHelper {
 public:
  /// `name` empty: <type>_0, <type>_1, ...
  explicit LayerHelper(const std::string& type, const std::string& name = {});

  /// The parameter that `attr` names where the program has it, else a new one, called after the
  /// layer and `role` ("w", "b") unless `attr` says otherwise.
  Var parameter(const ParamAttr& attr, const std::string& role, const Dims& dims, DataType dtype,
                const Initializer& otherwise);

  /// Appends `op` and returns its result, put into slot `output`.
  Var append(Op op, const std::string& output = "Out");

 private:
  std::string name_;
};

/// The name of an input of a layer. InvalidArgument where the handle is empty or belongs to
/// another program than the one being built.
std::vector<std::string> input_name(const std::string& layer, const Var& var);

}  // namespace rondo::nn
