#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

/// One built-in algorithm of one collective.
struct AlgorithmInfo {
  std::string collective;  ///< "all_reduce"
  std::string name;        ///< what CommunicatorOptions::algorithm takes: "ring"
  std::string summary;     ///< one line
};

/// Every built-in algorithm.
RONDO_API std::vector<AlgorithmInfo> built_in_algorithms();

/// What was proved of one algorithm.
struct VerifiedAlgorithm {
  std::string collective;
  std::string name;
  std::uint64_t worlds = 0;         ///< world sizes
  std::uint64_t schedules = 0;      ///< per size, root and rows; plain and fused
  std::uint64_t sweeps = 0;         ///< steps that were run, over all channel models
  std::uint64_t direct_stores = 0;  ///< messages proved to be storable straight into the peer
  std::uint32_t least_credits = 1;  ///< messages that a channel must be able to hold
};

/// What became of schedules with one kind of wrong done to them on purpose.
struct VerifiedMutants {
  std::string kind;  ///< "dropped op"
  std::uint64_t mutants = 0;
  std::uint64_t caught = 0;
  std::uint64_t equivalent = 0;  ///< accepted, and right in every order of events
  std::uint64_t sampled = 0;     ///< accepted, and right in every order that was tried
  std::uint64_t missed = 0;      ///< accepted, and wrong: a hole in the verifier
};

struct VerifyReport {
  bool ok = false;
  std::string error;  ///< empty, or what is wrong: algorithm, world, rank, step, row
  std::vector<VerifiedAlgorithm> algorithms;
  std::vector<VerifiedMutants> mutants;  ///< empty: not asked for, or no world to make them of
};

/// The worlds that mutants are made of: in larger ones there are too many orders of events to try
/// all of them on what the verifier accepts, and a world of 1 exchanges nothing.
inline constexpr int kFirstMutantWorld = 2;
inline constexpr int kLastMutantWorld = 8;

/// How much is proved of large worlds. Up to kThoroughUpTo the two are the same.
enum class Coverage : std::uint8_t {
  kEverything,
  /// In worlds above kThoroughUpTo: the fused form, which is what runs, not the plain one that it
  /// is made from; the rows of small data; and one root. In worlds above kMemoryRulesUpTo:
  /// algorithms whose messages grow slower than the square of the world, and of these values, their
  /// order and that calls end, not who may touch which memory when.
  kChosen,
};
inline constexpr int kThoroughUpTo = 128;
inline constexpr int kMemoryRulesUpTo = 512;

/// Proves every built-in algorithm at the world sizes `first_world`..`last_world`: right values,
/// the same bits on every rank, no deadlock, no race for memory. With `mutants` it also tests the
/// verifier: wrong schedules must be refused, in those of the worlds that mutants are made of.
/// On one core, everything up to 128 takes half a minute, one world of 512 as long, and all that
/// kChosen asks of the worlds up to 512 four minutes; one of 65,536 ten seconds.
/// Threads: any.
RONDO_API VerifyReport verify_built_in(int first_world, int last_world, bool mutants,
                                       Coverage coverage = Coverage::kEverything);

/// What was proved of a schedule that somebody has written.
struct VerifiedSchedule {
  std::string name;
  std::string collective;
  int ranks = 0;
  std::uint32_t rows = 0;
  std::uint64_t sweeps = 0;         ///< of all ranks, fused
  std::uint64_t direct_stores = 0;  ///< messages proved to be storable straight into the peer
  std::uint32_t least_credits = 1;  ///< messages that a channel must be able to hold
};

/// Proves a schedule right that is written as JSON (docs/your-own-schedule.md): right values, the
/// same bits on every rank, no deadlock, no race for memory. `file` begins messages.
/// Errors: InvalidArgument: what can't be read, and where; or the rank, step and row that are
/// wrong, and what the right contents would be. Threads: any.
RONDO_API VerifiedSchedule verify_schedule(const std::string& json, const std::string& file);

/// A built-in algorithm's schedule as such a file, for `ranks` ranks of one host and `count`
/// elements: one to begin with. Errors: InvalidArgument (there is no such algorithm).
RONDO_API std::string written_schedule(const std::string& collective, const std::string& algorithm,
                                       int ranks, std::size_t count);

}  // namespace v1
}  // namespace rondo
