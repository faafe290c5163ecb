#pragma once

// Gradient ops share one convention: input slots S (a variable of the forward op) and S@GRAD (the
// gradient of one of its results), output slots S@GRAD (the gradient of one of its inputs). These
// helpers build such ops and infer their types.

#include <initializer_list>
#include <string>
#include <vector>

#include "nn/ops/type_context.h"
#include "rondo/nn/backward.h"

namespace rondo::nn {

/// Which slots of the forward op its gradient op reads (`inputs`, `outputs`: the variables;
/// `output_grads`: gradients of results) and computes (`input_grads`).
struct GradientSlots {
  std::initializer_list<const char*> inputs;
  std::initializer_list<const char*> outputs;
  std::initializer_list<const char*> output_grads;
  std::initializer_list<const char*> input_grads;
};

/// The op <forward>_grad with the forward op's attributes.
Op gradient_op(const Op& forward, const GradientSlots& slots);

std::vector<std::string> grad_names(const std::vector<std::string>& names);

/// Each output S@GRAD has the type of input S.
Status infer_gradients(TypeContext& context);

/// Output 0 has the type of input 0: elementwise ops and their gradients.
Status infer_like_input(TypeContext& context);

}  // namespace rondo::nn
