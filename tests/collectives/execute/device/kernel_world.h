#pragma once

// A world of ranks whose calls are one kernel each (kernels/cuda/schedule_kernel.h), run as a
// function of the host in the host's memory, by blocks that are late: what hosts and devices have
// to do with such calls is left out, so that the kernels' letters and goodbyes are seen alone.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collectives/execute/device/kernel_program.h"
#include "tests/collectives/execute/connected_rank.h"
#include "tests/collectives/execute/device/built_in_call.h"

namespace rondo::execute {

/// What a kernel waits for. A test leaves one out, to see that it is missed.
enum class KernelWait : std::uint8_t {
  kLetter,   ///< for a peer's bytes
  kGoodbye,  ///< for a peer that reads and writes this rank's memory
  kBlocks,   ///< for the other blocks of the lane
};

/// A place of this process, for the endpoints that a plan is bound to.
class PlanRank : public ConnectedRank {
 public:
  using ConnectedRank::ConnectedRank;
  /// Failures are gtest's.
  std::unique_ptr<Plan> plan(const BuiltInCall& call);
};

class KernelWorld {
 public:
  /// The ranks are as many as the call's, which is borrowed.
  KernelWorld(std::vector<PlanRank>& ranks, const BuiltInCall& call);
  KernelWorld(const KernelWorld&) = delete;
  KernelWorld& operator=(const KernelWorld&) = delete;
  ~KernelWorld();

  /// How a call is made.
  struct Manner {
    std::uint64_t seed = 0;
    std::optional<KernelWait> left_out{};
    std::chrono::milliseconds patience{20'000};  ///< then all kernels are ended
  };
  /// What each rank ends with; nothing where its kernel was ended or told of a peer's message of
  /// another size. As soon as a rank's call is over its memory is written over.
  std::vector<std::optional<Floats>> run(const Manner& manner);
  /// Every host gives up.
  void end_all();
  /// Whether the rank's output is as it was before its calls, all of which were ended.
  bool is_untouched(int rank) const;

 private:
  struct Rank;

  void introduce(Rank& rank);
  std::optional<Floats> run_rank(Rank& rank, const Manner& manner);

  const BuiltInCall& call_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace rondo::execute
