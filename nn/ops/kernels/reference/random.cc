// uniform_random and gaussian_random.

#include <random>

#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/reference/register_kernels.h"
#include "nn/tensor/counter_random.h"

namespace rondo::nn {
namespace {

// The variable's name takes part, so that equal seeds give every parameter numbers of its own.
CounterRandom stream_of(const KernelSetup& setup) {
  auto seed = static_cast<std::uint64_t>(setup.op->attribute<std::int64_t>("seed", 0));
  if (seed == 0) seed = setup.program_seed;
  if (seed == 0) {
    std::random_device device;
    seed = (std::uint64_t{device()} << 32) | device();
  }
  return {seed, setup.op->outputs.at("Out").front()};
}

template <typename T>
Status uniform_random(const KernelSetup& setup, const KernelArgs& args) {
  const CounterRandom random = stream_of(setup);
  const double low = setup.op->attribute<double>("low", -1.0);
  const double high = setup.op->attribute<double>("high", 1.0);
  T* out = args.out(0)->data<T>();
  for (std::int64_t i = 0; i < args.out(0)->count(); ++i) {
    out[i] = static_cast<T>(low + (high - low) * random.uniform(static_cast<std::uint64_t>(i)));
  }
  return {};
}

template <typename T>
Status gaussian_random(const KernelSetup& setup, const KernelArgs& args) {
  const CounterRandom random = stream_of(setup);
  const double mean = setup.op->attribute<double>("mean", 0.0);
  const double deviation = setup.op->attribute<double>("deviation", 1.0);
  T* out = args.out(0)->data<T>();
  for (std::int64_t i = 0; i < args.out(0)->count(); ++i) {
    out[i] = static_cast<T>(mean + deviation * random.normal(static_cast<std::uint64_t>(i)));
  }
  return {};
}

}  // namespace

void add_random_reference(KernelRegistry& registry) {
  add_reference(registry, "uniform_random", uniform_random<float>, uniform_random<double>);
  add_reference(registry, "gaussian_random", gaussian_random<float>, gaussian_random<double>);
}

}  // namespace rondo::nn
