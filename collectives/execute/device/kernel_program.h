#pragma once

// A plan as the schedule kernel reads it (kernels/cuda/schedule_program.h): every segment of every
// sweep a step. Pure.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/execute/host/plan.h"
#include "collectives/kernels/cuda/schedule_program.h"
#include "core/status.h"

namespace rondo::execute {

struct KernelProgram {
  std::vector<kernels::cuda::ScheduleLane> lanes;  ///< those that have steps
  std::vector<kernels::cuda::ScheduleStep> steps;
  std::vector<kernels::cuda::SchedulePort> ports;
  std::uint32_t stride = 0;  ///< letters that any peer sends in any lane

  /// Errors: Unsupported (lanes that wait for each other).
  static Result<KernelProgram> of(const Plan& plan);
};

}  // namespace rondo::execute
