#include "core/copy_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace rondo {
namespace {

/// Every byte, and no other.
void expect_copies(const LongCopy& copy) {
  constexpr std::size_t kRoom = 3 * 4096;
  alignas(4096) static std::byte from[kRoom];
  alignas(4096) static std::byte to[kRoom];
  for (std::size_t i = 0; i < kRoom; ++i) from[i] = static_cast<std::byte>(i * 37 + i / 251);
  constexpr auto kUntouched = std::byte{0xa5};
  // The second begins 16 bytes before the targets' first, modulo a page.
  for (const std::size_t skipped : {0U, 4080U}) {
    for (const std::size_t shift : {0U, 1U, 16U, 63U, 64U, 200U, 4095U}) {
      for (const std::size_t bytes : {0U, 1U, 63U, 319U, 2047U, 2048U, 2049U, 4096U, 6145U}) {
        std::fill(std::begin(to), std::end(to), kUntouched);
        copy(to + shift, from + skipped, bytes);
        for (std::size_t i = 0; i < kRoom; ++i) {
          const bool copied = i >= shift && i < shift + bytes;
          ASSERT_EQ(to[i], copied ? from[skipped + i - shift] : kUntouched)
              << bytes << " bytes from " << skipped << " to " << shift << ": byte " << i;
        }
      }
    }
  }
}

TEST(CopyBytes, AnyLength_IsCopied) {
  expect_copies([](std::byte* target, const std::byte* source, std::size_t bytes) {
    copy_bytes(target, source, bytes);
  });
}

TEST(CopyBytes, ByMemcpy_IsCopied) { expect_copies(copy_by_memcpy); }

TEST(CopyBytes, PastCaches_IsCopied) { expect_copies(copy_past_caches); }

TEST(CopyBytes, ByLines_IsCopied) {
  if (copy_by_lines() == nullptr) GTEST_SKIP() << "this processor has no vectors of 64 bytes";
  expect_copies(copy_by_lines());
}

}  // namespace
}  // namespace rondo
