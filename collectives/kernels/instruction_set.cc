#include "collectives/kernels/instruction_set.h"

#include <atomic>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace rondo::kernels {
namespace {

#if defined(__x86_64__)
/// Asked of the processor itself: clang's `__builtin_cpu_supports` knows no f16c before 17.
bool machine_has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

/// `__builtin_cpu_supports` also asks whether the operating system keeps the wide registers.
bool machine_has(InstructionSet set) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && machine_has_f16c();
  if (set == InstructionSet::kAvx2) return avx2;
  if (set == InstructionSet::kAvx512) {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  }
#endif
  return set == InstructionSet::kBaseline;
}

std::atomic<InstructionSet>& chosen() {
  static std::atomic<InstructionSet> set = instruction_sets_here().back();
  return set;
}

}  // namespace

const char* to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::kBaseline: return "baseline";
    case InstructionSet::kAvx2: return "avx2";
    case InstructionSet::kAvx512: return "avx512";
  }
  return "unknown";
}

std::vector<InstructionSet> instruction_sets_here() {
  std::vector<InstructionSet> sets;
  for (const auto set :
       {InstructionSet::kBaseline, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (machine_has(set)) sets.push_back(set);
  }
  return sets;
}

InstructionSet instruction_set() { return chosen().load(std::memory_order_relaxed); }

void set_instruction_set(InstructionSet set) { chosen().store(set, std::memory_order_relaxed); }

}  // namespace rondo::kernels
