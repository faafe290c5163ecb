// When an endpoint says that it began to copy: of several long copies in one look, the first.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "tests/transport/ring/ring_pair.h"
#include "transport/ring/ring_endpoint.h"

namespace rondo::transport {
namespace {

constexpr std::size_t kBytes = std::size_t{256} << 10;  // one slot, full
constexpr std::size_t kTries = 21;

const Call kCall{.sequence = 5, .fingerprint = {.collective = 1, .count = 77}};

class CopiesOfALook : public ::testing::Test {
 protected:
  CopiesOfALook() {
    pair_.endpoint(0).begin(kCall, {std::span(output_), {}});
    pair_.endpoint(1).begin(kCall, {});
  }

  Token post(int rank, std::span<const Transfer> group) {
    return pair_.endpoint(rank).post(group).value();
  }
  void send(std::size_t place) {
    const Transfer transfer{
        .kind = TransferKind::kSend, .data = source_.data() + place, .bytes = kBytes};
    post(0, {&transfer, 1});
  }
  /// How much of a look that copies twice had passed where `rank` says that it began to.
  double part_before_copies(int rank, const std::function<void()>& look) {
    const Ticks before = ticks_now();
    look();
    const Ticks after = ticks_now();
    return static_cast<double>(pair_.endpoint(rank).copying_since(0) - before) /
           static_cast<double>(after - before);
  }

  /// The median of tries, of which some aren't run for a while: less than where the second copy
  /// begins, which is the half.
  void expect_at_the_first(std::array<double, kTries> parts) {
    std::ranges::nth_element(parts, parts.begin() + kTries / 2);
    EXPECT_LT(parts[kTries / 2], 0.25);
  }

  RingPair pair_{kBytes};
  std::vector<std::byte> source_ = std::vector<std::byte>(2 * kBytes, std::byte{3});
  std::vector<std::byte> output_ = std::vector<std::byte>(2 * kBytes);
};

TEST_F(CopiesOfALook, OfMessages_BeginWithTheFirst) {
  std::array<double, kTries> parts{};
  for (double& part : parts) {
    send(0);
    send(kBytes);
    const auto receive = [this](std::size_t place) {
      return Transfer{.kind = TransferKind::kRecv, .data = output_.data() + place, .bytes = kBytes};
    };
    const std::array<Transfer, 2> both{receive(0), receive(kBytes)};
    part = part_before_copies(1, [&] { EXPECT_TRUE(*pair_.endpoint(1).poll(post(1, both))); });
  }
  expect_at_the_first(parts);
}

TEST_F(CopiesOfALook, OfWhatIsWrittenBack_BeginWithTheFirst) {
  std::array<double, kTries> parts{};
  for (double& part : parts) {
    for (const std::size_t place : {std::size_t{0}, kBytes}) {
      send(place);
      const Transfer view{.kind = TransferKind::kRecvView, .bytes = kBytes};
      const Token token = post(1, {&view, 1});
      ASSERT_TRUE(*pair_.endpoint(1).poll(token));
      ASSERT_NE(pair_.endpoint(1).write_back(token, StoreRegion::kOutput, place), nullptr);
      pair_.endpoint(1).release(token);
    }
    const Transfer stored{.kind = TransferKind::kStored, .bytes = kBytes};
    post(1, {&stored, 1});
    const Transfer receive{.kind = TransferKind::kRecv, .data = output_.data(), .bytes = kBytes};
    part = part_before_copies(0, [&] {
      EXPECT_TRUE(*pair_.endpoint(0).poll(post(0, {&receive, 1})));
    });
  }
  expect_at_the_first(parts);
}

}  // namespace
}  // namespace rondo::transport
