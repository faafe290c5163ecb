#pragma once

// RONDO_TEST_SHARE=K/N: of what a test goes through every N-th, from the K-th on. CI takes turns
// with it.

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace rondo::testing {

struct TestShare {
  std::size_t index = 0;
  std::size_t of = 1;

  static TestShare wanted() {
    const char* const text = std::getenv("RONDO_TEST_SHARE");
    if (text == nullptr) return {};
    TestShare share;
    if (std::sscanf(text, "%zu/%zu", &share.index, &share.of) != 2 || share.index >= share.of) {
      std::fprintf(stderr, "RONDO_TEST_SHARE: '%s' is not K/N with 0 <= K < N\n", text);
      std::exit(2);
    }
    return share;
  }
  bool is_all() const { return of == 1; }
  bool has(std::size_t number) const { return number % of == index; }
};

}  // namespace rondo::testing
