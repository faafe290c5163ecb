#include "transport/shm/registered_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

#include "tests/transport/shm/limited_addresses.h"

namespace rondo::transport {
namespace {

RegisteredPool& pool() { return *RegisteredPool::instance().value(); }

TEST(RegisteredPool, Allocate_isFoundAgainByItsOffset_insideAndNotBeyond) {
  std::byte* data = pool().allocate(10'000).value();
  const auto offset = pool().offset_of(data, 10'000);
  ASSERT_TRUE(offset);
  EXPECT_EQ(pool().offset_of(data + 123, 1), *offset + 123);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 4096, 0u);
  const std::size_t behind_bytes = pool().segment_bytes() - *offset;
  EXPECT_TRUE(pool().offset_of(data, behind_bytes));
  EXPECT_FALSE(pool().offset_of(data, behind_bytes + 1));
  EXPECT_FALSE(pool().offset_of(data, ~std::size_t{0}));
  pool().free(data);
}

TEST(RegisteredPool, Locate_ofOrdinaryMemory_findsNothing) {
  std::vector<std::byte> heap(100);
  std::byte local{};
  EXPECT_FALSE(pool().offset_of(heap.data(), heap.size()));
  EXPECT_FALSE(pool().offset_of(&local, 1));
  EXPECT_FALSE(pool().offset_of(nullptr, 0));
}

TEST(RegisteredPool, Growth_keepsOldMemoryInPlace_andNewMemoryIsUsable) {
  std::byte* small = pool().allocate(64).value();
  std::memset(small, 0x3c, 64);
  const std::size_t before = pool().segment_bytes();
  const std::size_t bytes = before + RegisteredPool::kExtentBytes + 5;
  std::byte* large = pool().allocate(bytes).value();
  EXPECT_GT(pool().segment_bytes(), before);
  std::memset(large, 0x11, bytes);
  EXPECT_EQ(small[63], std::byte{0x3c});
  EXPECT_TRUE(pool().offset_of(large, bytes));
  pool().free(large);
  pool().free(small);
}

TEST(RegisteredPool, Memory_freed_isUsedAgainBeforeTheSegmentGrows) {
  std::byte* first = pool().allocate(3 << 20).value();
  pool().free(first);
  const std::size_t before = pool().segment_bytes();
  for (int i = 0; i < 100; ++i) pool().free(pool().allocate(3 << 20).value());
  EXPECT_EQ(pool().segment_bytes(), before);
  EXPECT_EQ(pool().used_bytes(), 0u);
}

TEST(RegisteredPool, Allocate_ofMoreThanTheHostHas_isAnErrorThatNamesBoth) {
  const auto result = pool().allocate(std::size_t{1} << 50);
  EXPECT_EQ(result.status().code(), ErrorCode::kSystem);
  EXPECT_THAT(result.status().message(),
              testing::AllOf(testing::HasSubstr(std::to_string(std::size_t{1} << 50)),
                             testing::HasSubstr("available")));
  EXPECT_TRUE(pool().allocate(100).ok()) << "the pool is still good";
}

TEST(RegisteredPool, Allocate_ofSizesThatOverflowWhenRounded_isTheSameError) {
  ASSERT_TRUE(pool().allocate(1).ok());
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX - 64, SIZE_MAX / 2})
    EXPECT_EQ(pool().allocate(bytes).status().code(), ErrorCode::kSystem) << bytes;
}

TEST(RegisteredPool, Free_ofForeignMemory_isIgnored) {
  std::byte local{};
  pool().free(&local);
  pool().free(nullptr);
}

TEST(RegisteredPool, Threads_allocatingAtOnce_getDifferentMemory) {
  std::vector<std::thread> threads;
  std::atomic<int> clashes = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const std::size_t bytes = static_cast<std::size_t>(1 + (i * 977) % 9000);
        std::byte* data = pool().allocate(bytes).value();
        std::memset(data, t, bytes);
        std::this_thread::yield();
        for (std::size_t b = 0; b < bytes; b += 61)
          if (data[b] != static_cast<std::byte>(t)) ++clashes;
        pool().free(data);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(clashes, 0);
}

TEST(RegisteredPool, Addresses_areLeftToTheRestOfTheProcess) {
  const int result = where_addresses_are_left(std::size_t{2} << 30, [] {
    if (!pool().allocate(100).ok()) return 1;
    return has_addresses(std::size_t{1} << 30) ? 0 : 2;
  });
  EXPECT_EQ(result, 0);
}

/// What is left to the host is memory, not the pool's addresses.
TEST(RegisteredPool, Allocate_whereItsAddressesAreFew_hasThem) {
  const int result = where_addresses_are_left(std::size_t{256} << 20, [] {
    return pool().allocate(100).ok() && pool().allocate(std::size_t{8} << 20).ok() ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
}

TEST(RegisteredPool, Allocate_ofMoreThanItsAddresses_isAnErrorThatNamesTheirLimit) {
  if (!addresses_are_limited()) GTEST_SKIP() << "no limit of addresses is kept here";
  const int result = where_addresses_are_left(std::size_t{512} << 20, [] {
    const Status status = pool().allocate(std::size_t{256} << 20).status();
    if (status.code() != ErrorCode::kSystem) return 1;
    return status.message().find("ulimit -v") != std::string::npos ? 0 : 2;
  });
  EXPECT_EQ(result, 0);
}

/// What is asked for counts, not the piece that the pool would take where files may be longer.
TEST(RegisteredPool, Allocate_whereFilesMayBeShort_hasWhatFits) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{.rlim_cur = 20'480'000, .rlim_max = 20'480'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(1);
    if (!pool().allocate(100).ok() || !pool().allocate(std::size_t{10} << 20).ok()) ::_exit(2);
    ::_exit(pool().allocate(std::size_t{20} << 20).ok() ? 3 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(WIFEXITED(status));
}

TEST(RegisteredPool, Child_afterFork_hasAPoolOfItsOwn) {
  std::byte* parents = pool().allocate(64).value();
  std::memset(parents, 0x21, 64);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    RegisteredPool& own = pool();
    own.free(parents);  // not its to free
    std::byte* data = own.allocate(64).value();
    std::memset(data, 0x77, 64);
    ::_exit(own.offset_of(parents, 64) ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(parents[i], std::byte{0x21});
  pool().free(parents);
}

}  // namespace
}  // namespace rondo::transport
