#include "examples/custom_device/reduce.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "examples/custom_device/failure.h"
#include "examples/custom_device/handles.h"

namespace custom_cpu {
namespace {

// Integers wrap, which C++ leaves open for those with a sign.
template <typename T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                             std::type_identity<T>>::type;

struct Sum {
  template <typename T>
  static T combine(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};

struct Average : Sum {};

struct Product {
  template <typename T>
  static T combine(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
};

/// As IEEE 754-2019 has it: a NaN stays, and -0 is less than +0.
template <typename T, typename Less>
T extreme(T a, T b, Less less) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return less(std::signbit(b) ? 1 : 0, std::signbit(a) ? 1 : 0) ? a : b;
  }
  return less(a, b) ? a : b;
}

struct Minimum {
  template <typename T>
  static T combine(T a, T b) {
    return extreme(a, b, [](auto x, auto y) { return x < y; });
  }
};

struct Maximum {
  template <typename T>
  static T combine(T a, T b) {
    return extreme(a, b, [](auto x, auto y) { return x > y; });
  }
};

template <typename T, typename Op>
void run(const Reduction& reduction) {
  for (std::size_t i = 0; i < reduction.count; ++i) {
    T value = static_cast<const T*>(reduction.sources[0])[i];
    for (std::size_t s = 1; s < reduction.sources.size(); ++s)
      value = Op::combine(value, static_cast<const T*>(reduction.sources[s])[i]);
    if constexpr (std::is_same_v<Op, Average>) value /= static_cast<T>(reduction.divisor);
    for (void* target : reduction.targets) static_cast<T*>(target)[i] = value;
  }
}

template <typename T, typename Op>
int reduce(int /*device*/, rondo_plugin_stream stream, const rondo_reduction* given) {
  // In braces these would be lists of two pointers.
  using Sources = std::vector<const void*>;
  using Targets = std::vector<void*>;
  Reduction reduction{Sources(given->sources, given->sources + given->source_count),
                      Targets(given->targets, given->targets + given->target_count), given->count,
                      given->divisor};
  own(stream)->add([reduction = std::move(reduction)] {
    run<T, Op>(reduction);
    return true;
  });
  return done();
}

/// A type and an op, and what they are combined by: in a stream, or at once.
struct Row {
  Kernel kernel;
  HostKernel at_once;
};

template <typename T>
void add(const char* type, std::vector<Row>& rows) {
  rows.push_back({{type, "sum", guarded<&reduce<T, Sum>>}, &run<T, Sum>});
  rows.push_back({{type, "avg", guarded<&reduce<T, Average>>}, &run<T, Average>});
  rows.push_back({{type, "prod", guarded<&reduce<T, Product>>}, &run<T, Product>});
  rows.push_back({{type, "min", guarded<&reduce<T, Minimum>>}, &run<T, Minimum>});
  rows.push_back({{type, "max", guarded<&reduce<T, Maximum>>}, &run<T, Maximum>});
}

const std::vector<Row>& rows() {
  static const std::vector<Row>& all = *[] {
    auto* made = new std::vector<Row>();
    add<float>("f32", *made);
    add<double>("f64", *made);
    add<std::int32_t>("i32", *made);
    add<std::int64_t>("i64", *made);
    return made;
  }();
  return all;
}

}  // namespace

std::vector<Kernel> kernels() {
  std::vector<Kernel> list;
  for (const Row& row : rows()) list.push_back(row.kernel);
  return list;
}

HostKernel find_kernel(std::string_view type, std::string_view op) {
  for (const Row& row : rows()) {
    if (row.kernel.type == type && row.kernel.op == op) return row.at_once;
  }
  return nullptr;
}

}  // namespace custom_cpu
