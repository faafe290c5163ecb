#pragma once

// Times algorithms beside each other: calls of a collective, a few of one algorithm after a few of
// the other, so that whatever else runs on the machine slows all of them alike.
// Threads: the place's.

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/communicator/engine.h"
#include "collectives/communicator/timed_floats.h"
#include "core/status.h"

namespace rondo::communicator {

/// Of several runs of the same size.
struct Pass {
  std::size_t number = 0;
  std::size_t passes = 1;
};

class TimedCalls {
 public:
  /// Borrows the engine, whose calls go by the option's algorithm again afterwards.
  explicit TimedCalls(Engine& engine, MemoryKind memory = MemoryKind::kOrdinary);
  ~TimedCalls();
  TimedCalls(const TimedCalls&) = delete;
  TimedCalls& operator=(const TimedCalls&) = delete;

  /// Memory for calls of up to so many bytes: whether all ranks have it; one that hasn't logs why.
  /// Collective. Errors: as a collective call.
  Result<bool> reserve(std::size_t bytes);
  /// The same, and for what else a call of these bytes takes by that algorithm.
  Result<bool> has_room_for(std::size_t bytes, const algorithms::Algorithm& algorithm);

  /// What a call takes on the slowest rank, in microseconds, of each algorithm in each round; all
  /// ranks get the same. Input is written anew and all meet at a barrier before each call, and at
  /// another behind it. Calls of an algorithm follow each other, as a program's do, and the first
  /// ones don't count. Algorithms that are one in this world (select/alike.h) share their rounds,
  /// of which there are more then. In each turn, and in each pass, another one is the first.
  /// Collective: every rank makes the same calls. Errors: as a collective call.
  Result<std::vector<std::vector<double>>> run(
      std::size_t bytes, std::span<const algorithms::Algorithm* const> algorithms, int rounds,
      const Pass& pass = {});
  /// The bytes that `run` moves where it is asked for so many: a multiple of what the ranks share
  /// out.
  std::size_t bytes_of(schedule::Collective collective, std::size_t bytes) const;

 private:
  Result<bool> have_all(const Status& status);
  Result<CallArguments> arguments_of(schedule::Collective collective, std::size_t bytes);
  Result<double> time_call(const CallArguments& arguments,
                           const std::shared_ptr<PreparedPlan>& plan);
  /// Each becomes the greatest of all ranks'.
  Status share_most(std::span<double> times);
  /// How many calls of each plan don't count before each turn: all ranks get the same.
  Result<std::vector<std::size_t>> calls_before_turns(
      const CallArguments& arguments, std::span<const std::shared_ptr<PreparedPlan>> plans,
      std::size_t bytes);
  Status time_turn(const CallArguments& arguments, const std::shared_ptr<PreparedPlan>& plan,
                   std::size_t before, std::span<double> times);

  std::vector<std::vector<double>> shared_out(
      std::span<const double> times, std::span<const algorithms::Algorithm* const> algorithms,
      std::size_t rounds);
  const algorithms::Algorithm* first_alike(const algorithms::Algorithm* algorithm);

  Engine& engine_;
  std::map<const algorithms::Algorithm*, const algorithms::Algorithm*> first_alike_;
  TimedFloats input_;
  TimedFloats output_;
};

/// Which of `count` is the first in one of several turns, the others following it: over all turns
/// each comes early and late, as far as there are turns enough. Whoever comes late seems
/// faster, most likely by the caches: the third of three took 16 ms by eight ranks where the first
/// took 27 (16 MiB).
std::size_t first_of_turn(std::size_t count, std::size_t turn, std::size_t turns);

/// Of at least one. Takes the upper of two in the middle.
double median(std::vector<double> values);

}  // namespace rondo::communicator
