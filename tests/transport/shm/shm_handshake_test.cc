#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/transport/ring/conformance.h"
#include "tests/transport/shm/descriptor_limit.h"
#include "transport/shm/shm_transport.h"
#include "transport/shm/unix_socket.h"
#include "transport/wire/hello.h"

namespace rondo::transport {
namespace {

Deadline soon() { return std::chrono::steady_clock::now() + std::chrono::milliseconds(3000); }

std::unique_ptr<ShmTransport> place(int rank, std::uint64_t job = 8) {
  return ShmTransport::create({.job = job, .epoch = 1, .rank = rank, .world = 2}).value();
}

TEST(ShmHandshake, Dial_fromAnotherJob_isRefusedWithTheReason_andDoesNotDisturb) {
  const auto listener = place(0);
  const auto stranger = place(1, 9);
  Status refused;
  std::thread thread([&] {
    const std::vector<PeerAddress> peers{{.rank = 0, .address = listener->address()}};
    refused = stranger->connect(peers, in_seconds(20));
  });
  const std::vector<PeerAddress> peers{{.rank = 1, .address = stranger->address()}};
  EXPECT_EQ(listener->connect(peers, soon()).code(), ErrorCode::kTimeout);
  thread.join();
  EXPECT_EQ(refused.code(), ErrorCode::kMismatch);
  EXPECT_THAT(refused.message(), testing::HasSubstr("job"));
}

TEST(ShmHandshake, Noise_atTheListener_doesNotKeepThePeerOut) {
  const auto first = place(0);
  const auto second = place(1);
  auto noise = std::move(*dial_abstract(first->address()).value());
  const std::array<std::byte, 5> garbage{std::byte{'h'}, std::byte{'e'}};
  EXPECT_TRUE(send_packet(noise.get(), garbage));
  const auto silent = std::move(*dial_abstract(first->address()).value());
  Status result;
  std::thread thread([&] {
    const std::vector<PeerAddress> peers{{.rank = 0, .address = first->address()}};
    result = second->connect(peers, in_seconds(20));
  });
  const std::vector<PeerAddress> peers{{.rank = 1, .address = second->address()}};
  const Status own = first->connect(peers, in_seconds(20));
  thread.join();
  EXPECT_TRUE(own.ok()) << own.to_string();
  EXPECT_TRUE(result.ok()) << result.to_string();
}

// A rank of the right job that hands over no memory, or memory that it could take away again.
TEST(ShmHandshake, Hello_withoutSoundMemory_isAnErrorThatNamesTheRank) {
  for (const bool with_descriptors : {false, true}) {
    const auto listener = place(0);
    const auto socket = std::move(*dial_abstract(listener->address()).value());
    const auto hello =
        encode_hello({.from = {.job = 8, .epoch = 1, .rank = 1, .world = 2}, .to = 0, .nonce = 3});
    const auto unsealed = create_memfd("unsealed", 1 << 20).value();
    const std::array<int, 3> descriptors{unsealed.get(), unsealed.get(), unsealed.get()};
    ASSERT_TRUE(
        send_packet(socket.get(), hello,
                    with_descriptors ? std::span<const int>(descriptors) : std::span<const int>()));
    const std::vector<PeerAddress> peers{{.rank = 1, .address = "unused"}};
    const Status status = listener->connect(peers, in_seconds(20));
    EXPECT_EQ(status.code(), with_descriptors ? ErrorCode::kDataLoss : ErrorCode::kInternal);
    EXPECT_EQ(status.culprit(), 1);
  }
}

// Room for the connection, and for one of the three descriptors that come with its hello.
TEST(ShmHandshake, Hello_whoseDescriptorsThisProcessMayNotHave_isThisProcesssLimit) {
  const auto listener = place(0);
  const auto socket = std::move(*dial_abstract(listener->address()).value());
  const auto hello =
      encode_hello({.from = {.job = 8, .epoch = 1, .rank = 1, .world = 2}, .to = 0, .nonce = 3});
  const std::array<int, 3> descriptors{socket.get(), socket.get(), socket.get()};
  ASSERT_TRUE(send_packet(socket.get(), hello, descriptors));
  const std::vector<PeerAddress> peers{{.rank = 1, .address = "unused"}};
  const DescriptorLimit limit(2);
  const Status status = listener->connect(peers, in_seconds(20));
  EXPECT_EQ(status.code(), ErrorCode::kSystem) << status.to_string();
  EXPECT_THAT(status.message(), testing::HasSubstr("ulimit -n"));
  EXPECT_EQ(DescriptorLimit::room(), 2) << "what came is closed";
}

TEST(ShmHandshake, Dial_toAPlaceThatIsGone_isPeerLostAtOnce) {
  const std::string address = place(0)->address();
  const auto dialler = place(1);
  const std::vector<PeerAddress> peers{{.rank = 0, .address = address}};
  const Status status = dialler->connect(peers, in_seconds(20));
  EXPECT_EQ(status.code(), ErrorCode::kPeerLost);
  EXPECT_EQ(status.culprit(), 0);
}

TEST(ShmHandshake, Connect_toARankTwiceOrOneself_isInvalid) {
  const auto own = place(1);
  const std::vector<PeerAddress> twice{{.rank = 0, .address = "a"}, {.rank = 0, .address = "b"}};
  EXPECT_EQ(own->connect(twice, soon()).code(), ErrorCode::kInvalidArgument);
  const std::vector<PeerAddress> self{{.rank = 1, .address = "a"}};
  EXPECT_EQ(own->connect(self, soon()).code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace rondo::transport
