// Bulletins: what one rank publishes its peer reads, as it was, until the peer publishes itself.

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/transport/ring/ring_pair.h"

namespace rondo::transport {
namespace {

using Bytes = std::vector<std::byte>;

/// Others for each rank, call and byte.
Bytes bulletin(int rank, std::uint64_t call, std::size_t bytes) {
  Bytes message(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    message[i] =
        static_cast<std::byte>(1 + (37 * call + 11 * i + 5 * static_cast<unsigned>(rank)) % 255);
  return message;
}

Call call(std::uint64_t sequence) {
  return {.sequence = sequence, .fingerprint = {.collective = 1, .count = 7}};
}

class BulletinsTest : public testing::Test {
 protected:
  void begin(int rank, std::uint64_t sequence) { pair_.endpoint(rank).begin(call(sequence), {}); }
  /// As a rank does that expects to publish more of the kind.
  void publish(int rank, std::uint64_t sequence, std::size_t bytes) {
    PlainEndpoint& endpoint = pair_.endpoint(rank);
    ASSERT_TRUE(endpoint.publish(call(sequence), bulletin(rank, sequence, bytes)).ok());
    endpoint.begin(call(sequence), {});
    endpoint.expect_publish();
  }
  const std::byte* read(int rank, std::size_t bytes) {
    const auto theirs = pair_.endpoint(rank).read_bulletin(bytes, 1);
    EXPECT_TRUE(theirs.ok()) << theirs.status().to_string();
    return *theirs;
  }
  static bool is(const std::byte* bytes, const Bytes& expected) {
    return bytes != nullptr && std::memcmp(bytes, expected.data(), expected.size()) == 0;
  }

  RingPair pair_;
};

TEST_F(BulletinsTest, AreReadAsTheyWere_UntilTheReaderPublishes) {
  for (const std::size_t bytes : {8U, 24U, 25U, 64U, 200U, 1024U}) {
    const std::uint64_t first = 100 * bytes;
    for (std::uint64_t k = first; k < first + 9; ++k) {
      publish(0, k, bytes);
      publish(1, k, bytes);
      const std::byte* const theirs = read(1, bytes);
      // Rank 0 is quicker: it has read, and is a call ahead, and more can't be.
      EXPECT_TRUE(is(read(0, bytes), bulletin(1, k, bytes)));
      publish(0, ++k, bytes);
      EXPECT_TRUE(is(theirs, bulletin(0, k - 1, bytes))) << bytes << " bytes, call " << k;
      publish(1, k, bytes);
      EXPECT_TRUE(is(read(1, bytes), bulletin(0, k, bytes)));
      EXPECT_TRUE(is(read(0, bytes), bulletin(1, k, bytes)));
    }
  }
}

TEST_F(BulletinsTest, AreNothingUntilTheyAreThere) {
  publish(0, 1, 100);
  EXPECT_EQ(read(0, 100), nullptr);
  publish(1, 1, 100);
  EXPECT_TRUE(is(read(0, 100), bulletin(1, 1, 100)));
}

TEST_F(BulletinsTest, OfAnotherCall_AreAMismatchThatNamesThePeer) {
  publish(0, 1, 100);
  ASSERT_TRUE(pair_.endpoint(1).publish(call(2), bulletin(1, 2, 100)).ok());
  begin(1, 2);
  const Status status = pair_.endpoint(0).read_bulletin(100, 1).status();
  EXPECT_EQ(status.code(), ErrorCode::kMismatch) << status.to_string();
  EXPECT_EQ(status.culprit(), 1);
  // For good.
  EXPECT_EQ(pair_.endpoint(0).read_bulletin(100, 1).status().code(), ErrorCode::kMismatch);
}

TEST_F(BulletinsTest, OfAPeerThatLeft_AreReadWhereTheyAreThere_AndMissedElse) {
  publish(0, 1, 8);
  publish(1, 1, 8);
  pair_.endpoint(0).peer_left(Status(ErrorCode::kPeerLost, "rank 1 left", 1));
  EXPECT_TRUE(is(read(0, 8), bulletin(1, 1, 8)));
  publish(0, 2, 8);
  const Status status = pair_.endpoint(0).read_bulletin(8, 1).status();
  EXPECT_EQ(status.code(), ErrorCode::kPeerLost) << status.to_string();
  EXPECT_EQ(status.culprit(), 1);
}

}  // namespace
}  // namespace rondo::transport
