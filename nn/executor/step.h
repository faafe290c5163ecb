#pragma once

// One op of a compiled program: its kernel, and where its tensors and their types are. Immovable,
// as the kernel points to the op.

#include <memory>

#include "nn/executor/kernel_choice.h"
#include "nn/executor/var_slots.h"
#include "nn/ops/type_context.h"

namespace rondo::nn {

struct Step {
  Op op;
  const OpDef* def = nullptr;
  KernelArgs args;
  SlotTypes input_types;
  SlotTypes output_types;
  std::unique_ptr<Kernel> kernel;

  Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  /// Infers the outputs' types, and hands on the sequences of the first input where rows stay rows.
  Status infer();
};

/// What kernels are chosen by and made with.
struct StepOptions {
  KernelLibrary library = KernelLibrary::kAuto;
  DeviceKind device = DeviceKind::kHost;
  std::uint64_t program_seed = 0;
  KernelCounters* counters = nullptr;
};

Result<std::unique_ptr<Step>> make_step(const Op& op, VarSlots& slots, const StepOptions& options);

}  // namespace rondo::nn
