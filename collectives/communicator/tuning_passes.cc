#include "collectives/communicator/tuning_passes.h"

namespace rondo::communicator {

std::map<schedule::Collective, AlgorithmList> by_collective() {
  std::map<schedule::Collective, AlgorithmList> algorithms;
  for (const algorithms::Algorithm& algorithm : algorithms::all())
    algorithms[algorithm.collective].push_back(&algorithm);
  return algorithms;
}

int rounds_for(std::size_t bytes, double last_us) {
  if (last_us > kLongUs) return 1;
  return bytes <= (std::size_t{1} << 20) ? 6 : 2;
}

Result<std::vector<double>> measure(TimedCalls& calls, std::size_t bytes,
                                    const AlgorithmList& algorithms, int rounds, const Pass& pass,
                                    TimedSamples& samples) {
  RONDO_ASSIGN(const auto times, calls.run(bytes, algorithms, rounds, pass));
  std::vector<double> medians;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    medians.push_back(median(times[i]));
    samples.add(*algorithms[i], bytes, pass.number, times[i]);
  }
  return medians;
}

}  // namespace rondo::communicator
