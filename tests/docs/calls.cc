// The C++ of docs/calls.md, as it stands there, by four ranks.

#include <chrono>
#include <cstdio>
#include <optional>
#include <vector>

#include "rondo/communicator.h"

namespace {

void compute() {}

int failures = 0;

void expect(float is, float expected, const char* what) {
  if (is == expected) return;
  ++failures;
  std::printf("%s: %f, not %f\n", what, static_cast<double>(is), static_cast<double>(expected));
}

}  // namespace

int main() {
  rondo::Communicator world = rondo::Communicator::create();
  const auto rank = static_cast<float>(world.rank());
  std::vector<std::vector<float>> gradients(100, std::vector<float>(1000, 0.25F + rank));
  {
#include "started.inc"
  }
  for (const auto& part : gradients) expect(part.back(), 7, "a started sum");
  {
#include "prepared.inc"
    expect(losses.back(), 8 * 16, "a prepared sum, summed twice more");
  }
  {
#include "grouped.inc"
    expect(both.back(), 5, "all ranks' sum");
    expect(own.back(), 2.5F, "half of the ranks' sum");
  }
  {
#include "messages.inc"
    expect(received, 0.25F * static_cast<float>(before), "a message");
  }
  std::printf("rank %d: %s\n", world.rank(), failures == 0 ? "right" : "wrong");
  return failures == 0 ? 0 : 1;
}
