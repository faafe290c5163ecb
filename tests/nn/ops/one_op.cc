#include "one_op.h"

#include "core/status.h"
#include "nn/ops/append_op.h"
#include "nn/ops/gradient.h"
#include "nn/tensor/counter_random.h"

namespace rondo::nn {
namespace {

Named run(const std::vector<Op>& ops, const Named& inputs, KernelLibrary library) {
  Program program;
  Block& block = program.global_block();
  for (const auto& [name, tensor] : inputs) {
    VarDesc desc;
    desc.name = name;
    desc.dtype = tensor.dtype();
    desc.dims = tensor.dims();
    block.create_var(desc);
  }
  std::vector<VarName> fetch;
  for (const Op& op : ops) {
    throw_if_error(append_op(block, op));
    for (const auto& [slot, names] : op.outputs) {
      for (const std::string& name : names) {
        if (!name.empty()) fetch.emplace_back(name);
      }
    }
  }
  ExecutorOptions options;
  options.library = library;
  Executor executor(Device::host(), options);
  Scope scope;
  const auto results = executor.run(program, inputs, fetch, scope);
  Named named;
  for (std::size_t i = 0; i < fetch.size(); ++i) named[fetch[i].text] = results[i];
  return named;
}

}  // namespace

Named run_forward(const Op& op, const Named& inputs, KernelLibrary library) {
  return run({op}, inputs, library);
}

Named run_backward(const Op& op, const Named& values, const std::vector<std::string>& wanted,
                   KernelLibrary library) {
  std::vector<Op> ops = value_or_throw(OpRegistry::builtin().find(op.type))->gradient(op);
  for (Op& gradient : ops) {
    for (auto& [slot, names] : gradient.outputs) {
      for (std::string& name : names) {
        bool keep = false;
        for (const std::string& input : wanted) keep = keep || name == grad_name(input);
        if (!keep) name.clear();
      }
    }
  }
  return run(ops, values, library);
}

Op make_op(const std::string& type, const std::map<std::string, std::string>& inputs,
           const std::map<std::string, std::string>& outputs) {
  Op op;
  op.type = type;
  for (const auto& [slot, name] : inputs) op.inputs[slot] = {name};
  for (const auto& [slot, name] : outputs) op.outputs[slot] = {name};
  return op;
}

Tensor noise(DataType dtype, const Dims& dims, std::uint64_t seed) {
  const CounterRandom random(seed, "noise");
  Tensor tensor(dtype, dims);
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    const double value = 2 * random.uniform(static_cast<std::uint64_t>(i)) - 1;
    if (dtype == DataType::kF64) {
      tensor.data<double>()[i] = value;
    } else {
      tensor.data<float>()[i] = static_cast<float>(value);
    }
  }
  return tensor;
}

}  // namespace rondo::nn
