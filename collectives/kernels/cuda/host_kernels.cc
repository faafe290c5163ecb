#include "collectives/kernels/cuda/host_kernels.h"

#include <map>

#include "collectives/kernels/cuda/reduce_list.h"
#include "core/device/primitives/host_block.h"
#include "core/dtype.h"

namespace rondo::kernels::cuda {
namespace {

struct Half {
  using Stored = std::uint16_t;
  using Value = float;
  static float widen(std::uint16_t element) { return f32_from_f16(element); }
  static std::uint16_t narrow(float value) { return f16_from_f32(value); }
};

struct BFloat16 {
  using Stored = std::uint16_t;
  using Value = float;
  static float widen(std::uint16_t element) { return f32_from_bf16(element); }
  static std::uint16_t narrow(float value) { return bf16_from_f32(value); }
};

template <class Element, class Op, class Finish>
void run(HostGrid grid, const ReduceParameters& parameters) {
  primitives::run_independent(grid.blocks, grid.threads, [&](const primitives::HostBlock& block) {
    reduce_kernel<Element, Op, Finish>(block, parameters);
  });
}

const std::map<std::string_view, HostKernel>& kernels() {
#define RONDO_HOST_KERNEL(type, op, Element, Op, Finish) \
  {"rondo_reduce_" #type "_" #op, &run<Element, Op, Finish>},
  static const auto& all =
      *new std::map<std::string_view, HostKernel>{RONDO_CUDA_REDUCE_KERNELS(RONDO_HOST_KERNEL)};
#undef RONDO_HOST_KERNEL
  return all;
}

}  // namespace

HostKernel find_host_kernel(std::string_view name) {
  const auto found = kernels().find(name);
  return found == kernels().end() ? nullptr : found->second;
}

}  // namespace rondo::kernels::cuda
