#include "transport/shm/control_page.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace rondo::transport {
namespace {

constexpr Slots kShape{.count = 2, .bytes = 128};

UniqueFd copy_of(const ControlPage& page) { return UniqueFd(::dup(page.fd())); }

TEST(ControlPage, Peer_seesTheChannelThatIsForIt) {
  const auto page = ControlPage::create(3, kShape).value();
  for (int rank = 0; rank < 3; ++rank) {
    page.channel(rank).lines[7][63].stamp = 100 + static_cast<std::uint64_t>(rank);
  }
  for (int rank = 0; rank < 3; ++rank) {
    const auto seen = PeerPage::open(copy_of(page), 3, rank).value();
    EXPECT_EQ(seen.channel().lines[7][63].stamp.load(), 100u + static_cast<unsigned>(rank));
    EXPECT_EQ(seen.slot_shape().count, kShape.count);
    EXPECT_EQ(seen.slot_shape().bytes, kShape.bytes);
  }
}

TEST(ControlPage, Peer_ofTheSameProcess_seesItWhereItLies) {
  auto page = std::make_unique<ControlPage>(ControlPage::create(2, kShape).value());
  const auto seen = PeerPage::open(copy_of(*page), 2, 1).value();
  EXPECT_EQ(&seen.channel(), &page->channel(1));
  page->channel(1).lines[0][0].stamp = 3;
  page.reset();
  EXPECT_EQ(seen.channel().lines[0][0].stamp.load(), 3u) << "gone with its owner";
}

TEST(ControlPage, Peer_canNeitherResizeItNorMapItForWriting) {
  const auto page = ControlPage::create(2, kShape).value();
  EXPECT_EQ(::ftruncate(page.fd(), 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::ftruncate(page.fd(), std::int64_t{1} << 30), -1);
  void* writable = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, page.fd(), 0);
  EXPECT_EQ(writable, MAP_FAILED);
}

TEST(ControlPage, Open_ofAnotherWorldsPage_isDataLoss) {
  const auto page = ControlPage::create(2, kShape).value();
  EXPECT_EQ(PeerPage::open(copy_of(page), 3, 1).status().code(), ErrorCode::kDataLoss);
}

TEST(ControlPage, Open_ofWhateverElse_isDataLoss) {
  auto unsealed = create_memfd("unsealed", 1 << 20).value();
  EXPECT_EQ(PeerPage::open(std::move(unsealed), 2, 1).status().code(), ErrorCode::kDataLoss);
  auto zeros = create_memfd("zeros", 1 << 20).value();
  ASSERT_TRUE(seal(zeros.get(), F_SEAL_SHRINK).ok());
  EXPECT_EQ(PeerPage::open(std::move(zeros), 2, 1).status().code(), ErrorCode::kDataLoss);
  auto tiny = create_memfd("tiny", 16).value();
  ASSERT_TRUE(seal(tiny.get(), F_SEAL_SHRINK).ok());
  EXPECT_EQ(PeerPage::open(std::move(tiny), 2, 1).status().code(), ErrorCode::kDataLoss);
}

TEST(ControlPage, Open_ofAHeadThatClaimsImpossibleSlots_isDataLoss) {
  const auto page = ControlPage::create(2, kShape).value();
  page.head().slot_bytes = ~std::uint64_t{0} - 63;
  EXPECT_EQ(PeerPage::open(copy_of(page), 2, 1).status().code(), ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace rondo::transport
