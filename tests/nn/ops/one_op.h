#pragma once

// A single op, run through the executor: forward, or its gradient ops alone.

#include <map>
#include <string>
#include <vector>

#include "rondo/nn/executor.h"

namespace rondo::nn {

using Named = std::map<std::string, Tensor>;

/// Variables are called as they are in `op`; `inputs` has a value for each it reads.
Named run_forward(const Op& op, const Named& inputs, KernelLibrary library);

/// The gradients of the inputs in `wanted`. `values` has the forward op's inputs and results, and
/// <result>@GRAD.
Named run_backward(const Op& op, const Named& values, const std::vector<std::string>& wanted,
                   KernelLibrary library);

/// An op with one variable in each slot: {"X", "x"}.
Op make_op(const std::string& type, const std::map<std::string, std::string>& inputs,
           const std::map<std::string, std::string>& outputs);

/// Values in (-1, 1) without a pattern, other ones for each seed.
Tensor noise(DataType dtype, const Dims& dims, std::uint64_t seed);

}  // namespace rondo::nn
