#pragma once

// What is measured for a tuning: every algorithm of every collective, at a few sizes.

#include <vector>

#include "collectives/communicator/engine.h"
#include "collectives/select/tuning.h"
#include "core/status.h"

namespace rondo::communicator {

/// Times without simulated ones; medians.
struct TuningSamples {
  /// Of every algorithm at ten sizes from 64 B to 32 MiB, up to the first that takes 15 ms; those
  /// that take three times as long as the fastest from 64 KiB on aren't tried with more, in that
  /// pass.
  std::vector<select::MeasuredTimes> evenly;
  /// And between those sizes where several algorithms are close to the fastest.
  std::vector<select::MeasuredTimes> all;
  /// On registered memory, where ranks share memory (measure_registered).
  std::vector<select::MeasuredTimes> registered{};
  /// As in select::Tuning.
  std::size_t private_read_bytes = 0;
};

/// The same on all ranks. A collective call. Errors: as a collective call.
Result<TuningSamples> measure_algorithms(Engine& engine);

}  // namespace rondo::communicator
