#pragma once

// What the job tells its user. Only the process with rank 0 tells anything: line by line, and with
// a bar that moves where it has a terminal to itself (a launcher may put one in between).

#include <cstddef>

#include "examples/recognize_digits/options.h"
#include "examples/recognize_digits/world.h"
#include "rondo/nn/data.h"

namespace rondo::examples {

/// One epoch, over all ranks.
struct EpochResult {
  std::size_t steps = 0;
  std::size_t images = 0;
  double loss = 0;      ///< mean of the steps'
  double accuracy = 0;  ///< share of the images that were right while they were learnt
  double seconds = 0;
};

class Report {
 public:
  /// The world outlives the object.
  explicit Report(const World& world);

  void start(const Options& options, const nn::TrainTest& data) const;
  void step(int epoch, std::size_t step, std::size_t steps) const;
  void epoch(int epoch, int epochs, const EpochResult& result) const;
  void end(std::size_t right, std::size_t held_out, double seconds) const;

 private:
  const World& world_;
  bool prints_;
  bool bar_;
};

}  // namespace rondo::examples
