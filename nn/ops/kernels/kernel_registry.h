#pragma once

// Kernels by (op, device kind, element type, source). Filled once, then only read.

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "nn/ops/kernels/kernel.h"
#include "rondo/device.h"

namespace rondo::nn {

enum class KernelSource : std::uint8_t { kReference, kOneDnn };

using KernelFactory = std::unique_ptr<Kernel> (*)(const KernelSetup& setup);
/// A kernel that keeps nothing between runs.
using KernelFunction = Status (*)(const KernelSetup& setup, const KernelArgs& args);

class KernelRegistry {
 public:
  void add(const std::string& op, DataType dtype, KernelSource source, KernelFactory factory);
  void add(const std::string& op, DataType dtype, KernelSource source, KernelFunction function);

  /// Null where there is none.
  std::unique_ptr<Kernel> create(DeviceKind device, DataType dtype, KernelSource source,
                                 const KernelSetup& setup) const;
  bool has(const std::string& op, DeviceKind device, DataType dtype, KernelSource source) const;
  /// True where `source` has the op for any type.
  bool has(const std::string& op, DeviceKind device, KernelSource source) const;

 private:
  struct Entry {
    KernelFactory factory = nullptr;
    KernelFunction function = nullptr;
  };
  using Key = std::tuple<std::string, DeviceKind, KernelSource, DataType>;
  std::map<Key, Entry> entries_;
};

/// The KernelFactory of a class.
template <typename T>
std::unique_ptr<Kernel> make_kernel(const KernelSetup& setup) {
  return std::make_unique<T>(setup);
}

/// Registers one function template for the two floating-point types.
inline void add_reference(KernelRegistry& registry, const std::string& op, KernelFunction f32,
                          KernelFunction f64) {
  registry.add(op, DataType::kF32, KernelSource::kReference, f32);
  registry.add(op, DataType::kF64, KernelSource::kReference, f64);
}

}  // namespace rondo::nn
