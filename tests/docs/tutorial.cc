// The C++ of docs/your-own-schedule.md, as it stands there: four ranks sum by it.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "rondo/communicator.h"
#include "rondo/schedule_builder.h"

namespace {

/// No whole numbers, and different on each rank.
float given(int rank, std::size_t i) {
  return 0.37F * static_cast<float>(i % 97 + 1) + 1.13F * static_cast<float>(rank);
}

bool sums_right(rondo::Communicator& world) {
  std::vector<float> data(1009);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = given(world.rank(), i);
  world.all_reduce({data.data(), data.size()});
  for (std::size_t i = 0; i < data.size(); ++i) {
    double sum = 0;
    for (int rank = 0; rank < world.size(); ++rank) sum += given(rank, i);
    if (!(std::abs(data[i] - sum) <= 1e-6 * sum)) return false;
  }
  return true;
}

}  // namespace

int main() {
#include "tutorial.inc"
  const bool right = sums_right(world);
  const std::string algorithm(world.last_call().algorithm);
  std::printf("rank %d of %d: %s by %s\n", world.rank(), world.size(), right ? "right" : "wrong",
              algorithm.c_str());
  return right && algorithm == "my_ring" ? 0 : 1;
}
