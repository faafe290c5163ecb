#pragma once

// What measured calls took, and what becomes of it.

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/select/tuning.h"

namespace rondo::communicator {

class TimedSamples {
 public:
  /// Algorithms that are one in this world have each other's times, too.
  void add(const algorithms::Algorithm& algorithm, std::size_t bytes, std::size_t pass,
           const std::vector<double>& times_us);

  /// The median at exactly that size; infinite where it wasn't measured, or mostly left out.
  double typical(const algorithms::Algorithm& algorithm, std::size_t bytes) const;

  /// By the sizes above and below, halfway; infinite where there is none above, or either was
  /// mostly left out.
  double between(const algorithms::Algorithm& algorithm, std::size_t bytes) const;

  /// In the order of the registry, at the machine's best pace (best_pace). On ordinary memory
  /// with times that others' tell: where others were measured at a size, and this one not, because
  /// it is far slower by the sizes around it, that counts for as much as those others took longer
  /// than by the sizes around them; else what was measured while the machine was slow would be
  /// taken for slower than what wasn't. Without those that were in less than half of another
  /// algorithm's passes with that size: the others have left it out as far too slow, and what it
  /// took where it was not tells of that pass alone. And without sizes, between others, at which
  /// whatever was measured took clearly longer than the fastest at a larger one: the machine did
  /// something else meanwhile, and what wasn't measured then would seem to be faster.
  std::vector<select::MeasuredTimes> medians(MemoryKind memory = MemoryKind::kOrdinary) const;

 private:
  using Key = std::pair<const algorithms::Algorithm*, std::size_t>;
  /// Of one collective, the least time at each size.
  using Fastest = std::map<std::size_t, double>;
  /// Medians; but for what isn't known, as `medians` has them.
  std::vector<select::MeasuredTimes> known_medians(MemoryKind memory) const;
  /// What a size's times are multiplied by, to be of the fastest of its passes: 1 where the machine
  /// was as fast in most. A hypervisor moves cores apart, and together again, within seconds; some
  /// sizes' medians would be the slow machine's and others' the fast one's, and no pace
  /// (tuning_pace.h) would fit. One for all algorithms: which one is faster is as the medians say.
  double best_pace(schedule::Collective collective, std::size_t bytes) const;
  TimedSamples at_best_pace() const;
  bool was_mostly_left_out(const Key& key) const;
  std::map<schedule::Collective, Fastest> fastest() const;
  double told_by_others(const algorithms::Algorithm& algorithm, std::size_t bytes) const;
  double slowness(schedule::Collective collective, std::size_t bytes) const;

  struct Timed {
    std::vector<double> times_us;  ///< of all passes
    std::map<std::size_t, std::vector<double>> by_pass;
  };
  /// Algorithms lie in the order of the registry.
  std::map<Key, Timed> timed_;
};

}  // namespace rondo::communicator
