// fill_constant and fill_zeros_like.

#include <algorithm>
#include <cstring>

#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/reference/register_kernels.h"

namespace rondo::nn {
namespace {

template <typename T>
Status fill_constant(const KernelSetup& setup, const KernelArgs& args) {
  std::fill_n(args.out(0)->data<T>(), args.out(0)->count(),
              static_cast<T>(setup.op->attribute<double>("value", 0.0)));
  return {};
}

Status fill_zeros_like(const KernelSetup&, const KernelArgs& args) {
  std::memset(args.out(0)->data(), 0, args.out(0)->bytes());
  return {};
}

}  // namespace

void add_fill_reference(KernelRegistry& registry) {
  add_reference(registry, "fill_constant", fill_constant<float>, fill_constant<double>);
  registry.add("fill_constant", DataType::kI64, KernelSource::kReference,
               fill_constant<std::int64_t>);
  add_reference(registry, "fill_zeros_like", fill_zeros_like, fill_zeros_like);
}

}  // namespace rondo::nn
