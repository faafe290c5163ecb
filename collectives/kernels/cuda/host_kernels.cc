#include "collectives/kernels/cuda/host_kernels.h"

#include <algorithm>
#include <map>

#include "collectives/kernels/cuda/reduce_list.h"
#include "collectives/kernels/cuda/schedule_kernel.h"
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

using OrderedHalf = Half;

struct BFloat16 {
  using Stored = std::uint16_t;
  using Value = float;
  static float widen(std::uint16_t element) { return f32_from_bf16(element); }
  static std::uint16_t narrow(float value) { return bf16_from_f32(value); }
};

template <class T>
void see(T*& pointer, const SeenByHost& seen) {
  pointer = static_cast<T*>(seen(const_cast<void*>(static_cast<const void*>(pointer))));
}
void see(std::uint64_t& address, const SeenByHost& seen) {
  if (address != 0)
    address = reinterpret_cast<std::uint64_t>(seen(reinterpret_cast<void*>(address)));
}

template <class Element, class Op, class Finish>
void run_reduce(HostGrid grid, const void* parameter, const SeenByHost& seen) {
  auto parameters = *static_cast<const ReduceParameters*>(parameter);
  for (std::uint32_t i = 0; seen != nullptr && i < parameters.sources + parameters.targets; ++i)
    see(parameters.pointers[i], seen);
  primitives::run_independent(grid.blocks, grid.threads, [&](const primitives::HostBlock& block) {
    reduce_kernel<Element, Op, Finish>(block, parameters);
  });
}

void see_all(ScheduleCall& call, const SeenByHost& seen) {
  see(call.lanes, seen);
  see(call.steps, seen);
  see(call.ports, seen);
  see(call.mail, seen);
  see(call.goodbyes, seen);
  see(call.state, seen);
  for (std::uint64_t& base : call.bases) see(base, seen);
  for (std::uint32_t i = 0; i < call.peer_count; ++i) {
    see(call.peers[i].mail, seen);
    see(call.peers[i].goodbyes, seen);
    for (std::uint64_t& base : call.peers[i].bases) see(base, seen);
  }
}

/// With a few threads in place of a device's hundreds: each is one of the host's.
template <class Element, class Op, class Finish>
void run_schedule(HostGrid grid, const void* parameter, const SeenByHost& seen) {
  auto call = *static_cast<const ScheduleCall*>(parameter);
  if (seen != nullptr) see_all(call, seen);
  primitives::run_resident(grid.blocks, std::min(grid.threads, 2U),
                           [&](const primitives::HostBlock& block) {
                             schedule_kernel<Element, Op, Finish>(block, call);
                           });
}

const std::map<std::string_view, HostKernel>& kernels() {
#define RONDO_HOST_KERNEL(type, op, Element, Op, Finish)             \
  {"rondo_reduce_" #type "_" #op, &run_reduce<Element, Op, Finish>}, \
      {"rondo_schedule_" #type "_" #op, &run_schedule<Element, Op, Finish>},
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
