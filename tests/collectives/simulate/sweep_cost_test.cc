#include "collectives/simulate/sweep_cost.h"

#include <gtest/gtest.h>

#include "collectives/simulate/network.h"

namespace rondo::simulate {
namespace {

const MessageCost kCost{
    .send_us = 3, .send_us_per_byte = 0.001, .receive_us = 2, .receive_us_per_byte = 0.002};
const Link kNetwork{.costs = {kCost}};
const Link kMemory{.maps = true, .costs = {kCost}};

constexpr std::size_t kWhole = static_cast<std::size_t>(-1);

double sent_us(const Link& link, std::size_t bytes, bool follows,
               std::size_t message_bytes = kWhole) {
  const Work work;
  SweepCost cost(work, {bytes, message_bytes}, 0);
  cost.send(link, {.follows = follows});
  return cost.us();
}
double received_us(const Link& link, std::size_t bytes, bool follows,
                   std::size_t message_bytes = kWhole) {
  const Work work;
  SweepCost cost(work, {bytes, message_bytes}, 0);
  cost.receive(link, {.follows = follows});
  return cost.us();
}

TEST(SweepCost, MessageThatFollowsAnother_CostsItsBytesAlone) {
  EXPECT_DOUBLE_EQ(sent_us(kNetwork, 1000, false), 4);
  EXPECT_DOUBLE_EQ(sent_us(kNetwork, 1000, true), 1);
  EXPECT_DOUBLE_EQ(received_us(kNetwork, 0, false), 2);
  EXPECT_DOUBLE_EQ(received_us(kNetwork, 0, true), 0);
}

// A receiver reads 8 KiB beside what it asks for.
TEST(SweepCost, LongMessageThatFollowsAnother_IsReceivedByACallOfItsOwn) {
  EXPECT_DOUBLE_EQ(received_us(kNetwork, 4096, true), 0.5 * 2 + 4096 * 0.002);
  EXPECT_DOUBLE_EQ(received_us(kNetwork, 16384, true), received_us(kNetwork, 16384, false));
}

TEST(SweepCost, APiece_CostsWhatItsMessagesCost) {
  MessageCost longer = kCost;
  longer.receive_us = 20;
  MessageCost shorter = kCost;
  shorter.most_bytes = 8'000;
  const Link link{.costs = {shorter, longer}};
  for (const bool follows : {false, true}) {
    EXPECT_DOUBLE_EQ(sent_us(link, 25'000, follows, 10'000),
                     2 * sent_us(link, 10'000, follows) + sent_us(link, 5'000, follows));
    EXPECT_DOUBLE_EQ(received_us(link, 25'000, follows, 10'000),
                     2 * received_us(link, 10'000, follows) + received_us(link, 5'000, follows));
    EXPECT_DOUBLE_EQ(received_us(link, 20'000, follows, 10'000),
                     2 * received_us(link, 10'000, follows));
  }
}

TEST(SweepCost, InSharedMemory_EachMessageIsToldOfByItself) {
  EXPECT_DOUBLE_EQ(sent_us(kMemory, 1000, true), sent_us(kMemory, 1000, false));
  EXPECT_DOUBLE_EQ(received_us(kMemory, 1000, true), received_us(kMemory, 1000, false));
}

}  // namespace
}  // namespace rondo::simulate
