#include "nn/ops/kernels/kernel_registry.h"

#include <algorithm>

namespace rondo::nn {
namespace {

class FunctionKernel final : public Kernel {
 public:
  FunctionKernel(KernelFunction function, const KernelSetup& setup)
      : function_(function), setup_(setup) {}
  Status run(const KernelArgs& args) override { return function_(setup_, args); }

 private:
  KernelFunction function_;
  KernelSetup setup_;
};

}  // namespace

void KernelRegistry::add(const std::string& op, DataType dtype, KernelSource source,
                         KernelFactory factory) {
  entries_[{op, DeviceKind::kHost, source, dtype}] = {factory, nullptr};
}

void KernelRegistry::add(const std::string& op, DataType dtype, KernelSource source,
                         KernelFunction function) {
  entries_[{op, DeviceKind::kHost, source, dtype}] = {nullptr, function};
}

std::unique_ptr<Kernel> KernelRegistry::create(DeviceKind device, DataType dtype,
                                               KernelSource source,
                                               const KernelSetup& setup) const {
  const auto found = entries_.find({setup.op->type, device, source, dtype});
  if (found == entries_.end()) return nullptr;
  const Entry& entry = found->second;
  if (entry.factory != nullptr) return entry.factory(setup);
  return std::make_unique<FunctionKernel>(entry.function, setup);
}

bool KernelRegistry::has(const std::string& op, DeviceKind device, DataType dtype,
                         KernelSource source) const {
  return entries_.count({op, device, source, dtype}) != 0;
}

bool KernelRegistry::has(const std::string& op, DeviceKind device, KernelSource source) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& entry) {
    const auto& [type, kind, from, dtype] = entry.first;
    return type == op && kind == device && from == source;
  });
}

}  // namespace rondo::nn
