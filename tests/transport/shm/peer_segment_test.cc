#include "transport/shm/peer_segment.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/transport/shm/limited_addresses.h"
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

/// Another process's, as far as this one can tell.
UniqueFd segment_of(std::size_t bytes) {
  auto fd = create_memfd("segment", bytes).value();
  EXPECT_TRUE(seal(fd.get(), F_SEAL_SHRINK).ok());
  return fd;
}

TEST(PeerSegment, Segments_ofManyPeers_takeAddressesByTheirSizeAlone) {
  constexpr std::size_t kBytes = std::size_t{2} << 20;
  const int result = where_addresses_are_left(std::size_t{2} << 30, [] {
    std::vector<std::shared_ptr<PeerSegment>> segments;
    for (int peer = 0; peer < 20; ++peer) {
      segments.push_back(PeerSegment::open(segment_of(kBytes)).value());
      if (!segments.back()->address_of(kBytes - 8, 8).ok()) return 1;
    }
    return has_addresses(std::size_t{1} << 30) ? 0 : 2;
  });
  EXPECT_EQ(result, 0);
}

TEST(PeerSegment, Segment_thatOutgrowsItsAddresses_staysWhereItWasFoundToo) {
  if (!addresses_are_limited()) GTEST_SKIP() << "no limit of addresses is kept here";
  constexpr std::size_t kSmall = std::size_t{2} << 20;
  constexpr std::size_t kLarge = std::size_t{48} << 20;
  const int result = where_addresses_are_left(std::size_t{1} << 30, [] {
    const UniqueFd fd = segment_of(kSmall);
    const auto segment = PeerSegment::open(UniqueFd(::dup(fd.get()))).value();
    std::byte* const before = segment->address_of(100, 8).value();
    if (::ftruncate(fd.get(), kLarge) != 0) return 1;
    const auto last = segment->address_of(kLarge - 8, 8);
    if (!last.ok()) return 2;
    std::byte* const after = segment->address_of(100, 8).value();
    if (after == before || *last - after != static_cast<std::ptrdiff_t>(kLarge - 108)) return 3;
    *before = std::byte{0x44};
    return *after == std::byte{0x44} ? 0 : 4;
  });
  EXPECT_EQ(result, 0);
}

TEST(PeerSegment, Segment_thatFitsNoAddresses_isAnErrorThatNamesTheirLimit) {
  if (!addresses_are_limited()) GTEST_SKIP() << "no limit of addresses is kept here";
  const int result = where_addresses_are_left(std::size_t{64} << 20, [] {
    const auto segment = PeerSegment::open(segment_of(std::size_t{1} << 30)).value();
    const Status status = segment->address_of(0, 8).status();
    if (status.code() != ErrorCode::kSystem) return 1;
    return status.message().find("ulimit -v") != std::string::npos ? 0 : 2;
  });
  EXPECT_EQ(result, 0);
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
