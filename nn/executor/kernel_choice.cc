#include "nn/executor/kernel_choice.h"

#include <string>

#include "nn/ops/kernels/onednn/register_kernels.h"
#include "nn/ops/kernels/reference/register_kernels.h"

namespace rondo::nn {
namespace {

Status no_kernel(const std::string& op, DeviceKind device, DataType dtype,
                 const std::string& advice) {
  return Status(ErrorCode::kUnsupported, "op " + op + " has no kernel for " +
                                             rondo::to_string(dtype) + " on device " +
                                             rondo::to_string(device) + advice);
}

}  // namespace

const KernelRegistry& builtin_kernels() {
  static const KernelRegistry registry = [] {
    KernelRegistry filled;
    add_reference_kernels(filled);
    add_onednn_kernels(filled);
    return filled;
  }();
  return registry;
}

Result<std::unique_ptr<Kernel>> choose_kernel(const KernelRegistry& registry, KernelLibrary library,
                                              DeviceKind device, DataType dtype,
                                              const KernelSetup& setup) {
  if (library != KernelLibrary::kReference) {
    if (auto kernel = registry.create(device, dtype, KernelSource::kOneDnn, setup)) return kernel;
    const bool known = registry.has(setup.op->type, device, KernelSource::kOneDnn);
    if (library == KernelLibrary::kOneDnn && known) {
      return no_kernel(setup.op->type, device, dtype,
                       " in oneDNN; choose the kernel library 'auto' or 'reference'");
    }
  }
  if (auto kernel = registry.create(device, dtype, KernelSource::kReference, setup)) return kernel;
  return no_kernel(setup.op->type, device, dtype, "");
}

inline namespace v1 {

KernelLibrary kernel_library_from(const std::string& name) {
  if (name == "auto") return KernelLibrary::kAuto;
  if (name == "onednn") return KernelLibrary::kOneDnn;
  if (name == "reference") return KernelLibrary::kReference;
  throw Error(ErrorCode::kInvalidArgument,
              "kernel library '" + name + "': expected auto, onednn or reference");
}

}  // namespace v1
}  // namespace rondo::nn
