#include "transport/shm/slot_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

namespace rondo::transport {
namespace {

constexpr Slots kShape{.count = 2, .bytes = 128};

UniqueFd copy_of(const SlotFile& file) { return UniqueFd(::dup(file.fd())); }

TEST(SlotFile, Peer_seesAndWritesThoseThatAreForIt) {
  const auto file = SlotFile::create(3, kShape).value();
  for (int rank = 0; rank < 3; ++rank)
    file.slots(rank).lane(7)[2 * 128 - 1] = static_cast<std::byte>(rank + 1);
  for (int rank = 0; rank < 3; ++rank) {
    const auto seen = PeerSlots::open(copy_of(file), file.shape(), rank).value();
    EXPECT_EQ(seen.slots().lane(7)[2 * 128 - 1], static_cast<std::byte>(rank + 1));
    seen.slots().lane(0)[0] = static_cast<std::byte>(rank + 10);
    EXPECT_EQ(file.slots(rank).lane(0)[0], static_cast<std::byte>(rank + 10));
  }
}

// The file's owner is gone, so the peer has mappings of its own, as it has in another process.
TEST(SlotFile, Bulletins_areTheOwnersBytes_apartFromSlots_inAMappingThatMayBeWritten) {
  std::optional<SlotFile> file(SlotFile::create(2, kShape).value());
  file->bulletins().rooms.back().bytes.back() = std::byte{0x5A};
  file->slots(0).lane(0)[0] = std::byte{0x17};
  UniqueFd fd = copy_of(*file);
  file.reset();
  const auto seen = PeerSlots::open(std::move(fd), kShape, 0).value();
  const BulletinBoard& bulletins = seen.bulletins();
  EXPECT_EQ(bulletins.lines[0].stamp.load(), 0U);
  EXPECT_EQ(bulletins.rooms.back().bytes.back(), std::byte{0x5A});
  EXPECT_EQ(seen.slots().lane(0)[0], std::byte{0x17});
  // A fault where it isn't writable, and then its owner waits for each line (BulletinBoard).
  const_cast<BulletinBoard&>(bulletins).lines[0].stamp.store(3);
  EXPECT_EQ(bulletins.lines[0].stamp.load(), 3U);
}

TEST(SlotFile, Peer_cannotResizeIt) {
  const auto file = SlotFile::create(2, kShape).value();
  EXPECT_EQ(::ftruncate(file.fd(), 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::ftruncate(file.fd(), std::int64_t{1} << 30), -1);
}

TEST(SlotFile, Open_ofLessThanItsOwnerSays_isDataLoss) {
  const auto file = SlotFile::create(2, kShape).value();
  constexpr Slots kLarge{.count = 2, .bytes = std::size_t{16} << 20};
  EXPECT_EQ(PeerSlots::open(copy_of(file), kLarge, 1).status().code(), ErrorCode::kDataLoss);
  auto unsealed = create_memfd("unsealed", 1 << 20).value();
  EXPECT_EQ(PeerSlots::open(std::move(unsealed), kShape, 1).status().code(), ErrorCode::kDataLoss);
}

TEST(SlotFile, Create_withImpossibleSlots_isInvalid) {
  constexpr Slots kNone{.count = 0, .bytes = 128};
  constexpr Slots kRagged{.count = 4, .bytes = 100};
  EXPECT_EQ(SlotFile::create(2, kNone).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(SlotFile::create(2, kRagged).status().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace rondo::transport
