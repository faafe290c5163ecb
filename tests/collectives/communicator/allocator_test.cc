// A program's allocator: what Rondo takes from it, that all of it comes back, and what happens
// where it has none left.

#include "rondo/allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::HasSubstr;

/// Memory of any device, with a record of what is out.
class Pool {
 public:
  Allocator allocator() {
    return {.allocate = [this](Device device, std::size_t bytes) { return take(device, bytes); },
            .release = [this](Device device, void* memory,
                              std::size_t bytes) { put(device, memory, bytes); }};
  }
  std::size_t taken_bytes() const { return taken_bytes_; }
  /// At once, on all devices.
  std::size_t largest() const { return largest_; }
  std::size_t out() const { return out_.size(); }
  int mistakes() const { return mistakes_; }

 private:
  struct Block {
    Device device;
    std::size_t bytes = 0;
    std::shared_ptr<void> memory;
  };

  void* take(Device device, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<void> memory;
    if (device.kind == DeviceKind::kHost) {
      memory = {std::aligned_alloc(kMemoryAlignment, (bytes + 63) / 64 * 64), &std::free};
      std::memset(memory.get(), 0x5A, bytes);  // nobody may count on zeros
    } else {
      const auto own = std::make_shared<DeviceMemory>(device, bytes);
      memory = {own, own->data()};
    }
    taken_bytes_ += bytes;
    largest_ = std::max(largest_, bytes);
    out_[memory.get()] = {device, bytes, memory};
    return memory.get();
  }

  void put(Device device, void* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = out_.find(memory);
    const bool right =
        found != out_.end() && found->second.device == device && found->second.bytes == bytes;
    mistakes_ += right ? 0 : 1;
    if (found != out_.end()) out_.erase(found);
  }

  std::mutex mutex_;
  std::size_t taken_bytes_ = 0;
  std::size_t largest_ = 0;
  int mistakes_ = 0;
  std::map<void*, Block> out_;
};

constexpr std::size_t kCount = 300'007;

class Allocators : public ::testing::Test {
 protected:
  Allocators() { set_allocator(pool_.allocator()); }
  ~Allocators() override {
    set_allocator({});
    EXPECT_EQ(pool_.out(), 0U) << "all of it has come back";
    EXPECT_EQ(pool_.mistakes(), 0) << "to the device, and of the size, that it was taken with";
  }

  /// An all-reduce of kCount elements by two ranks, `calls` times over the same buffers, with the
  /// right results, within `tolerance` of the elements.
  static void reduce(const World& world, int calls, float tolerance) {
    spawn(world, [&](Communicator& rank) {
      std::vector<float> input(kCount), output(kCount);
      for (std::size_t i = 0; i < kCount; ++i)
        input[i] = 0.3F + static_cast<float>(rank.rank()) + static_cast<float>(i % 101) / 128;
      for (int call = 0; call < calls; ++call) {
        rank.all_reduce({input.data(), kCount}, {output.data(), kCount}, ReduceOp::kSum);
        for (std::size_t i = 0; i < kCount; ++i) {
          const float expected = 1.6F + 2 * static_cast<float>(i % 101) / 128;
          ASSERT_NEAR(output[i], expected, tolerance) << i;
        }
      }
    });
  }

  Pool pool_;
};

TEST_F(Allocators, scratchOverTcp_isTheirs) {
  reduce({.size = 2, .transport = "tcp", .algorithm = "direct"}, 2, 1e-5F);
  // What a rank gets from its peer before it reduces it: half of the elements, in segments.
  EXPECT_GT(pool_.taken_bytes(), 2 * sizeof(float) * kCount / 4);
}

TEST_F(Allocators, encodedMessagesAndTheirLosses_areTheirs) {
  const auto taken_with = [this](const std::string& format, const std::string& feedback) {
    const std::size_t before = pool_.taken_bytes();
    reduce({.size = 2,
            .transport = "tcp",
            .algorithm = "ring",
            .segment_bytes = std::size_t{256} << 10,
            .wire_format = format,
            .error_feedback = feedback},
           3, 0.05F);
    return pool_.taken_bytes() - before;
  };
  const std::size_t plain = taken_with("none", "off");
  const std::size_t encoded = taken_with("bf16", "off");
  EXPECT_GE(encoded, plain + (std::size_t{2} << 20)) << "segments to be encoded and decoded";
  const std::size_t corrected = taken_with("bf16", "on");
  EXPECT_GE(corrected, encoded + sizeof(float) * kCount) << "a float for each that is rounded";
}

TEST_F(Allocators, messagesThatNobodyHasAskedFor_areTheirs) {
  spawn({.size = 2, .transport = "inproc"}, [this](Communicator& rank) {
    std::vector<double> early(7000), late(1);
    if (rank.rank() == 0) {
      std::iota(early.begin(), early.end(), 0.25);
      late[0] = 1.5;
      rank.send({early.data(), early.size()}, 1, 1);
      rank.send({late.data(), late.size()}, 1, 2);
    } else {
      rank.receive({late.data(), late.size()}, 0, 2);  // the other one came before it, and is kept
      const std::size_t kept = pool_.largest();
      EXPECT_GE(kept, early.size() * sizeof(double));
      rank.receive({early.data(), early.size()}, 0, 1);
      EXPECT_EQ(early[6999], 6999.25);
    }
  });
}

TEST_F(Allocators, scratchOfDevices_isTheirsAndOnTheDevice) {
  const Device device = Device::emulated(0);
  spawn({.size = 2, .algorithm = "recursive_doubling", .device = device}, [](Communicator& rank) {
    const Device own = Device::emulated(rank.rank());
    DeviceMemory memory(own, kCount * sizeof(float));
    std::vector<float> values(kCount, 0.75F + static_cast<float>(rank.rank()));
    Stream stream(own);
    stream.copy(memory.data(), values.data(), memory.bytes());
    stream.synchronize();
    const Buffer buffer(memory.data(), kCount, DataType::kF32, own);
    rank.all_reduce(buffer);
    stream.copy(values.data(), memory.data(), memory.bytes());
    stream.synchronize();
    EXPECT_EQ(values.front(), 2.5F);
    EXPECT_EQ(values.back(), 2.5F);
  });
  EXPECT_GE(pool_.largest(), kCount * sizeof(float) / 2);
}

/// What every rank says of an all-reduce that gets no memory; who then may use its world again.
void expect_none_left(const std::string& algorithm, bool usable) {
  std::vector<Communicator> ranks =
      make_world({.size = 2, .transport = "tcp", .algorithm = algorithm});
  const auto reduce = [](Communicator& rank) {
    std::vector<float> values(kCount, 0.5F);
    rank.all_reduce({values.data(), kCount}, ReduceOp::kSum);
    EXPECT_EQ(values.back(), 1.0F);
  };
  set_allocator({.allocate = [](Device, std::size_t) -> void* { return nullptr; },
                 .release = [](Device, void*, std::size_t) {}});
  for (const std::string& error : run_ranks(ranks, reduce)) {
    EXPECT_THAT(error, HasSubstr("the program's allocator gave no"));
    EXPECT_THAT(error, HasSubstr("bytes on host:0"));
  }
  set_allocator({});
  for (const std::string& error : run_ranks(ranks, reduce)) {
    if (usable)
      EXPECT_EQ(error, "");
    else
      EXPECT_THAT(error, HasSubstr("can't be used any more"));
  }
}

TEST_F(Allocators, whereThereIsNoneForScratch_theWorldStaysUsable) {
  expect_none_left("recursive_doubling", true);
}

TEST_F(Allocators, whereThereIsNoneForAMessage_theWorldEndsAndSaysWhy) {
  expect_none_left("direct", false);
}

}  // namespace
}  // namespace rondo::testing
