#pragma once

// What collectives would take in one world, by a tuning: the simulation of each algorithm's
// schedule on the measured network, corrected where this world is the one that was measured. A pure
// function of what all ranks hold equal; results are kept. Threads: one at a time.

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/select/pace.h"
#include "collectives/select/select.h"
#include "collectives/select/tuning.h"
#include "collectives/simulate/simulate.h"

namespace rondo::select {

class Pricing {
 public:
  /// Null where the simulation isn't for this layout: more than kMostRanks ranks, hosts whose ranks
  /// aren't neighbours, links whose speeds were measured one by one.
  static std::unique_ptr<Pricing> make(std::shared_ptr<const Tuning> tuning,
                                       const schedule::SharedLayout& layout,
                                       std::size_t segment_bytes);
  /// A choice takes as long as some of the calls that it is for: milliseconds a candidate, and a
  /// tenth of a second where many share links.
  static constexpr int kMostRanks = 64;

  /// As select::candidates, for `bytes` rounded to priced_bytes. Which memory a rank has is its own
  /// affair, and all have to choose alike: where registered memory was measured, too, that comes
  /// first which is least behind the fastest on the memory where it is further behind
  /// (most_behind).
  const std::vector<Candidate>& candidates(schedule::Collective collective, std::size_t bytes,
                                           const Demands& demands);
  /// What predicted times are multiplied by from now on where the tuning is of this world: those of
  /// all algorithms alike, so that it changes no choice.
  void use_pace(Pace pace);
  /// The tuning's times are of the world that this is for: so many ranks on so many hosts.
  bool is_measured_here() const { return measured_here_; }
  /// What simulated times are multiplied by, the pace left aside.
  double correction(const algorithms::Algorithm& algorithm, std::size_t bytes,
                    MemoryKind memory = MemoryKind::kOrdinary) const;
  /// Predicted for exactly so many bytes; 0 where its schedules can't be simulated.
  double predicted_us(const algorithms::Algorithm& algorithm, std::size_t bytes) const;
  /// The same along a line between the sizes around it that are priced, each of which is simulated
  /// once: whatever sizes a program comes with, there are few simulations.
  double predicted_between_us(const algorithms::Algorithm& algorithm, std::size_t bytes,
                              MemoryKind memory = MemoryKind::kOrdinary);
  /// The same of schedules that are no algorithm's, by the constants alone, without a pace. Two
  /// tenths of a second at most, about.
  double predicted_us(const schedule::FoldedWorld& world, const schedule::ChunkTable& table,
                      std::size_t element_bytes) const;

 private:
  Pricing(std::shared_ptr<const Tuning> tuning, schedule::SharedLayout layout,
          simulate::Network network, std::size_t segment_bytes);

  double pace(std::size_t bytes, MemoryKind memory = MemoryKind::kOrdinary) const {
    return measured_here_ ? pace_.at(bytes, memory) : 1;
  }
  /// What is predicted of such memory goes by times of this kind.
  MemoryKind known_kind(const algorithms::Algorithm& algorithm, std::size_t bytes,
                        MemoryKind memory) const;
  double priced_us(const algorithms::Algorithm& algorithm, std::size_t priced);

  using Key = std::tuple<schedule::Collective, std::size_t, Demands::Rows, Demands::Order>;
  std::shared_ptr<const Tuning> tuning_;
  schedule::SharedLayout layout_;
  simulate::Network network_;
  std::size_t segment_bytes_;
  Pace pace_;
  bool measured_here_;
  std::map<Key, std::vector<Candidate>> priced_;
  /// By constants alone, of priced sizes.
  std::map<std::pair<const algorithms::Algorithm*, std::size_t>, double> simulated_us_;
};

/// How many times as long as the fastest of the list it takes, on ordinary or on registered memory,
/// whichever is more; of registered memory, of which fewer times are measured, a tenth less. What
/// isn't known there neither is behind nor are others behind it.
double most_behind(const Candidate& candidate, std::span<const Candidate> list);

/// The measured constants, for the hosts of this world: each its own where these were measured,
/// else the first one's for all.
simulate::Network network_for(const schedule::HostLayout& layout,
                              const simulate::Network& measured);

/// For where nothing was measured: simulate::default_network's constants, one rank a core.
/// `shares_memory`: ranks of one host do; otherwise they are joined as different hosts are.
std::shared_ptr<const Tuning> built_in_tuning(bool shares_memory);

/// The nearest of the powers of two and those one and a half times as large: calls of many sizes
/// are chosen for once in a while only.
std::size_t priced_bytes(std::size_t bytes);

/// The largest of them that isn't larger, and the smallest that isn't smaller.
std::pair<std::size_t, std::size_t> priced_around(std::size_t bytes);

/// As choices are simulated: long rows in longer pieces, so that no choice takes long.
simulate::Options priced_options(std::size_t segment_bytes);

/// What the simulation predicts by a network's constants alone; 0 where it can't.
double simulated_us(const algorithms::Algorithm& algorithm, std::size_t bytes,
                    const schedule::SharedLayout& layout, const simulate::Network& network,
                    std::size_t segment_bytes);

}  // namespace rondo::select
