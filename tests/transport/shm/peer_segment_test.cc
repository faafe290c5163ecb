#include "transport/shm/peer_segment.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "transport/shm/registered_pool.h"

namespace rondo::transport {
namespace {

UniqueFd pool_descriptor() { return UniqueFd(::dup(RegisteredPool::instance().value()->fd())); }

TEST(PeerSegment, AddressOf_whatTheOwnerAllocatesLater_seesItsBytes) {
  RegisteredPool& pool = *RegisteredPool::instance().value();
  auto segment = PeerSegment::open(pool_descriptor()).value();
  for (const std::size_t bytes : {std::size_t{100}, pool.segment_bytes() + 12'345}) {
    std::byte* data = pool.allocate(bytes).value();
    data[bytes - 1] = std::byte{0x42};
    const auto seen = segment->address_of(*pool.offset_of(data, bytes), bytes);
    ASSERT_TRUE(seen.ok()) << seen.status().to_string();
    EXPECT_NE(*seen, data);
    EXPECT_EQ((*seen)[bytes - 1], std::byte{0x42});
    (*seen)[0] = std::byte{0x43};
    EXPECT_EQ(data[0], std::byte{0x43});
    pool.free(data);
  }
}

TEST(PeerSegment, AddressOf_whatIsOutside_isDataLoss) {
  RegisteredPool& pool = *RegisteredPool::instance().value();
  pool.free(pool.allocate(100).value());
  auto segment = PeerSegment::open(pool_descriptor()).value();
  const std::size_t end = pool.segment_bytes();
  EXPECT_TRUE(segment->address_of(end - 8, 8).ok());
  EXPECT_EQ(segment->address_of(end - 8, 9).status().code(), ErrorCode::kDataLoss);
  EXPECT_EQ(segment->address_of(~std::uint64_t{0} - 3, 8).status().code(), ErrorCode::kDataLoss);
  EXPECT_EQ(segment->address_of(8, ~std::size_t{0} - 3).status().code(), ErrorCode::kDataLoss);
}

TEST(PeerSegment, Open_twiceForOneProcess_sharesTheMapping) {
  const auto first = PeerSegment::open(pool_descriptor()).value();
  const auto second = PeerSegment::open(pool_descriptor()).value();
  EXPECT_EQ(first, second);
}

TEST(PeerSegment, Open_ofMemoryThatCouldShrink_isRefused) {
  auto fd = create_memfd("not-sealed", 4096).value();
  EXPECT_EQ(PeerSegment::open(std::move(fd)).status().code(), ErrorCode::kDataLoss);
}

TEST(PeerSegment, Pool_cannotBeShrunkByAnybody) {
  RegisteredPool& pool = *RegisteredPool::instance().value();
  pool.free(pool.allocate(100).value());
  EXPECT_EQ(::ftruncate(pool.fd(), 0), -1);
  EXPECT_EQ(errno, EPERM);
}

}  // namespace
}  // namespace rondo::transport
