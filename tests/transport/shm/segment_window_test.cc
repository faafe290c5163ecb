#include "transport/shm/segment_window.h"

#include <gtest/gtest.h>

#include "core/process_limits.h"
#include "tests/transport/shm/limited_addresses.h"

namespace rondo::transport {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(SegmentWindow, Reserve_whereAddressesAreFew_takesLess_butNotTooLittle) {
  if (!addresses_are_limited()) GTEST_SKIP() << "no limit of addresses is kept here";
  const int result = where_addresses_are_left(256 * kMiB, [] {
    const auto window = SegmentWindow::reserve(std::size_t{4} << 30, 32 * kMiB);
    if (!window.ok() || window->max_bytes() < 32 * kMiB) return 1;
    return SegmentWindow::reserve(std::size_t{4} << 30, std::size_t{1} << 30).ok() ? 2 : 0;
  });
  EXPECT_EQ(result, 0);
}

TEST(SegmentWindow, Closed_givesBackWhatIsNotMapped_andKeepsTheRest) {
  const UniqueFd fd = create_memfd("segment", 8 * kMiB).value();
  auto window = SegmentWindow::reserve(std::size_t{4} << 30, 8 * kMiB).value();
  ASSERT_TRUE(window.extend(fd.get(), 3 * kMiB).ok());
  const std::uint64_t before = available_address_bytes();
  window.close();
  EXPECT_GT(available_address_bytes(), before + (std::size_t{3} << 30));
  std::byte* const last = window.address_of(3 * kMiB - 1, 1);
  ASSERT_NE(last, nullptr);
  *last = std::byte{0x31};
  EXPECT_EQ(window.address_of(3 * kMiB, 1), nullptr);
  EXPECT_EQ(window.extend(fd.get(), 4 * kMiB).code(), ErrorCode::kSystem);
}

}  // namespace
}  // namespace rondo::transport
