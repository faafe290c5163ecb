#include "tools/rondo/bench/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "rondo/error.h"

namespace rondo::tool {
namespace {

using testing::ThrowsMessage;

constexpr int kWorld = 3;

std::vector<Communicator> world_of_places() {
  CommunicatorOptions options;
  options.timeout_ms = 60'000;
  return Communicator::create(std::vector<Device>(kWorld, Device::host()), options);
}

TEST(RunPlaces, Codes_GiveTheLargest) {
  std::vector<Communicator> places = world_of_places();
  EXPECT_EQ(run_places(places, [](Communicator& place) { return place.rank() == 1 ? 3 : 0; }), 3);
}

/// The last one fails while the others wait in a call for it.
TEST(RunPlaces, OneFailsByItself_EndsTheOthersAtOnceAndItsErrorIsTold) {
  const auto fail_alone = [](auto thrown) {
    std::vector<Communicator> places = world_of_places();
    run_places(places, [&](Communicator& place) {
      if (place.rank() == kWorld - 1) throw thrown;
      place.barrier();
      return 0;
    });
  };
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT([&] { fail_alone(std::runtime_error("no more paper")); },
              ThrowsMessage<std::runtime_error>(std::string("no more paper")));
  EXPECT_THAT([&] { fail_alone(Error(ErrorCode::kSystem, "no memory")); },
              ThrowsMessage<Error>(std::string("System: no memory")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30))
      << "they have waited for their deadline";
}

}  // namespace
}  // namespace rondo::tool
