// A peer that has no room until its own contribution has come: the call is over only when both have
// moved.

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "collectives/execute/host/one_shot_runner.h"
#include "collectives/execute/host/waiter.h"
#include "collectives/kernels/dispatch.h"
#include "tests/collectives/execute/acted_endpoint.h"

namespace rondo::execute {
namespace {

using transport::Token;

class FullPeer final : public ActedEndpoint {
 public:
  explicit FullPeer(int refusals) : refusals_(refusals) {}

  transport::TransportKind kind() const override { return transport::TransportKind::kInproc; }
  int peer() const override { return 1; }
  std::size_t window() const override { return 1; }
  std::optional<std::size_t> eager_bytes() const override { return 64; }
  Result<bool> send_eager(std::span<const std::byte> message) override {
    if (refusals_-- > 0) return false;
    std::memcpy(&got, message.data(), sizeof got);
    return true;
  }
  Result<const std::byte*> recv_eager(std::size_t) override {
    return reinterpret_cast<const std::byte*>(&contribution_);
  }
  Result<Token> post(std::span<const transport::Transfer>) override { return Token{}; }
  Result<bool> poll(Token) override { return true; }

  float got = 0;

 private:
  int refusals_;
  float contribution_ = 2.25F;
};

TEST(OneShotRoom, APeerWithoutRoom_GetsItsContributionLater) {
  for (const int refusals : {0, 1, 2, 7}) {
    FullPeer peer(refusals);
    OneShotRunner runner(
        {.endpoints = {nullptr, &peer},
         .contributions = {.rank = 0,
                           .ranks = 2,
                           .element_bytes = sizeof(float),
                           .kernel = kernels::find_reduce_kernel(DeviceKind::kHost, DataType::kF32,
                                                                 ReduceOp::kSum)
                                         .value()},
         .count = 1});
    const auto waiter = Waiter::make({}, {}).value();
    float value = 0.5F;
    auto* const bytes = reinterpret_cast<std::byte*>(&value);
    Runner& base = runner;
    const Status status = base.run({1, 1, {}}, {bytes, bytes}, {0, waiter.get(), {}, 10'000});
    EXPECT_TRUE(status.ok()) << status.to_string();
    EXPECT_EQ(peer.got, 0.5F) << refusals;
    EXPECT_EQ(value, 2.75F) << refusals;
  }
}

}  // namespace
}  // namespace rondo::execute
