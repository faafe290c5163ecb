#include "small_net.h"

#include "nn/tensor/counter_random.h"

namespace rondo::nn {

Feed small_batch(DataType dtype, std::int64_t first, std::int64_t count) {
  const CounterRandom random(23, "points");
  Tensor x(dtype, {count, 2});
  Tensor label(DataType::kI64, {count, 1});
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::uint64_t>(first + i);
    const double a = 2 * random.uniform(2 * at) - 1;
    const double b = 2 * random.uniform(2 * at + 1) - 1;
    if (dtype == DataType::kF64) {
      x.data<double>()[2 * i] = a;
      x.data<double>()[2 * i + 1] = b;
    } else {
      x.data<float>()[2 * i] = static_cast<float>(a);
      x.data<float>()[2 * i + 1] = static_cast<float>(b);
    }
    label.data<std::int64_t>()[i] = a + b > 0.4 ? 2 : (a - b > 0 ? 1 : 0);
  }
  return {{"x", x}, {"label", label}};
}

}  // namespace rondo::nn
