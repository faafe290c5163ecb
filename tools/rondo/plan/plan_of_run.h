#pragma once

// `rondo plan --run`: what `rondo bench` has measured, beside what was predicted of it. Threads:
// any.

#include <string>
#include <string_view>

#include "rondo/plan.h"
#include "tools/rondo/bench/recorded.h"

namespace rondo::tool {

/// Leaves Rondo's own results, and of those the collective's alone, where one is named. Errors:
/// FileError: there are none.
void keep_results_of(RecordedFile& run, std::string_view collective);

/// Predicts each result anew, by simulation of the algorithm that ran in the question's world (its
/// other fields aren't looked at); 0 where that is neither built in nor the question's schedule.
/// Cost: as explain_plan, for each size. Errors: UsageError (a world of another size or transport;
/// a run with a wire format or on devices, whose ways nobody simulates; a schedule that didn't
/// run); throws rondo::Error as explain_plan does.
void predict_by_simulation(RecordedFile& run, const PlanQuestion& question);

/// Whose predictions stand in a file's results.
enum class PredictedBy { kCommunicator, kSimulation };

/// A line for each result, in the order of the file, and how far off the predictions are in all;
/// below that what the simulation takes, where it lacks a schedule that ran.
std::string run_text(const RecordedFile& run, PredictedBy who);

}  // namespace rondo::tool
