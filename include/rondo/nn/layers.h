#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rondo/export.h"
#include "rondo/nn/initializer.h"
#include "rondo/nn/program.h"

/// Layers append ops to `default_main_program()` and their parameters' first values to
/// `default_startup_program()`.
/// Errors: InvalidArgument, naming the layer's op, the variable, and what was expected.
namespace rondo::nn::inline v1 {

struct DataOptions {
  DataType dtype = DataType::kF32;
  int lod_level = 0;
  bool append_batch_size = true;  ///< puts the batch axis (-1) in front of the dims given
  bool stop_gradient = true;
};

/// A variable that is fed. Class labels are fed as DataType::kI64.
RONDO_API Var data(const std::string& name, Dims dims, const DataOptions& options = {});

/// What a layer's caller may say about a parameter.
struct ParamAttr {
  std::string name = {};  ///< empty: from the layer's name; the name of an existing one shares it
  Initializer initializer = {};
  double learning_rate = 1.0;  ///< a factor on the optimiser's
  bool trainable = true;
};

struct FcOptions {
  int num_flatten_dims = 1;  ///< axes of the input that count rows; the others are one row
  std::string act = {};      ///< "", "relu" or "softmax"
  ParamAttr weight = {};     ///< Xavier-uniform unless told
  ParamAttr bias = {};       ///< 0 unless told
  bool with_bias = true;
  std::string name = {};  ///< empty: fc_0, fc_1, ...
};

/// act(input * W + b), `size` wide. W is fc_0.w_0, b is fc_0.b_0.
RONDO_API Var fc(const Var& input, std::int64_t size, const FcOptions& options = {});
/// act(sum of input_i * W_i + b): one weight for each input, one bias.
RONDO_API Var fc(const std::vector<Var>& inputs, std::int64_t size, const FcOptions& options = {});

RONDO_API Var relu(const Var& input);

/// Over the last axis.
RONDO_API Var softmax(const Var& input);

/// -log of the probability given to the right class, for each row.
/// Shape: input [N, classes] holds probabilities (not logits), label [N, 1] holds i64 classes;
/// the result is [N, 1]. A row whose label is `ignore_index` costs 0. Probabilities below 1e-20
/// count as 1e-20.
RONDO_API Var cross_entropy(const Var& input, const Var& label, std::int64_t ignore_index = -100);

/// Of all elements; the result is [1].
RONDO_API Var mean(const Var& input);

/// Elementwise sum of equal shapes.
RONDO_API Var sum(const std::vector<Var>& inputs);

/// The fraction of rows whose label is among the k largest of `input`; the result is [1] and has
/// no gradient. Of equal values the earlier one counts as larger.
RONDO_API Var accuracy(const Var& input, const Var& label, int k = 1);

}  // namespace rondo::nn::inline v1
