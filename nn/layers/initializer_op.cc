#include "nn/layers/initializer_op.h"

#include <cmath>

#include "nn/ops/startup.h"

namespace rondo::nn {
namespace {

Op random_op(const char* type, std::uint64_t seed) {
  Op op;
  op.type = type;
  op.attributes["seed"] = static_cast<std::int64_t>(seed);
  return op;
}

Op uniform_op(double low, double high, std::uint64_t seed) {
  Op op = random_op("uniform_random", seed);
  op.attributes["low"] = low;
  op.attributes["high"] = high;
  return op;
}

double xavier_limit(const Dims& dims) {
  const auto fan_in = static_cast<double>(dims.empty() ? 1 : dims.front());
  const auto fan_out = static_cast<double>(dims.size() < 2 ? 1 : dims[1]);
  return std::sqrt(6.0 / (fan_in + fan_out));
}

}  // namespace

Op initializer_op(const Initializer& initializer, const Dims& dims) {
  switch (initializer.kind) {
    case Initializer::Kind::kUniform:
      return uniform_op(initializer.first, initializer.second, initializer.seed);
    case Initializer::Kind::kNormal: {
      Op op = random_op("gaussian_random", initializer.seed);
      op.attributes["mean"] = initializer.first;
      op.attributes["deviation"] = initializer.second;
      return op;
    }
    case Initializer::Kind::kXavierUniform: {
      const double limit = xavier_limit(dims);
      return uniform_op(-limit, limit, initializer.seed);
    }
    case Initializer::Kind::kUnset:
    case Initializer::Kind::kConstant: break;
  }
  return fill_with(initializer.first);
}

}  // namespace rondo::nn
