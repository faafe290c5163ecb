#pragma once

// The instruction sets that the host's reduce kernels are compiled for, and the one in use. All
// give the same bits; they differ in speed.
// Threads: any; set_instruction_set not beside a look-up.

#include <vector>

namespace rondo::kernels {

enum class InstructionSet {
  kBaseline,  ///< what every machine of this architecture has
  kAvx2,      ///< x86: AVX2, FMA, BMI2, F16C
  kAvx512,    ///< x86: AVX-512 F, VL, DQ, BW
};

/// "baseline", "avx2", "avx512".
const char* to_string(InstructionSet set);

/// Those that this machine and this build both have, slowest first.
std::vector<InstructionSet> instruction_sets_here();

/// The one that kernels are looked up for: the fastest of this machine, or the one set.
InstructionSet instruction_set();

/// For tests and measurements: what is looked up from now on is compiled for `set`, which is one of
/// instruction_sets_here.
void set_instruction_set(InstructionSet set);

}  // namespace rondo::kernels
