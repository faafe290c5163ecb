// On which memory choices are measured.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "collectives/communicator/timed_calls.h"
#include "collectives/communicator/timed_floats.h"
#include "tests/collectives/communicator/spawn.h"
#include "transport/mesh/connect_places.h"
#include "transport/shm/registered_pool.h"

namespace rondo::testing {
namespace {

using communicator::Engine;
using communicator::TimedCalls;
using communicator::TimedFloats;
using transport::RegisteredPool;

bool is_registered(const TimedFloats& floats, std::size_t count) {
  const auto* const data = reinterpret_cast<const std::byte*>(floats.data());
  return (*RegisteredPool::instance())->offset_of(data, count * sizeof(float)).has_value();
}

TEST(TimedFloats, BeginOnAPage_AndAreOfTheirKind) {
  for (const MemoryKind kind : {MemoryKind::kOrdinary, MemoryKind::kRegistered}) {
    TimedFloats floats(kind);
    for (const std::size_t count : {1U, 1500U, 100'000U, 7U}) {
      ASSERT_TRUE(floats.reserve(count).ok());
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(floats.data()) % 4096, 0U) << count;
      EXPECT_EQ(is_registered(floats, count), kind == MemoryKind::kRegistered);
      floats.data()[count - 1] = 1.5F;
    }
  }
}

TEST(TimedFloats, ThatThereIsNoMemoryFor_AreAnError) {
  for (const MemoryKind kind : {MemoryKind::kOrdinary, MemoryKind::kRegistered}) {
    TimedFloats floats(kind);
    EXPECT_EQ(floats.reserve(std::size_t{1} << 58).code(), ErrorCode::kSystem);
    EXPECT_EQ(floats.data(), nullptr);
    EXPECT_TRUE(floats.reserve(5).ok());
  }
}

/// The engines of one process.
std::vector<std::unique_ptr<Engine>> engines_of(int ranks) {
  const std::vector<transport::PlaceNote> places(static_cast<std::size_t>(ranks));
  transport::MeshOptions options;
  options.transport = "shm";
  auto meshes = transport::connect_places({}, places, options);
  EXPECT_TRUE(meshes.ok()) << meshes.status().to_string();
  std::vector<std::unique_ptr<Engine>> engines;
  for (std::unique_ptr<transport::Mesh>& mesh : *meshes) {
    auto place = communicator::Place::make(std::move(mesh), {}, Device::host(), std::nullopt);
    engines.push_back(std::make_unique<Engine>(std::move(place).value(), false));
  }
  return engines;
}

/// One that hasn't would leave the others waiting in the calls that are to be timed.
TEST(TimedCalls, ThatOneRankHasNoMemoryFor_AreGivenUpByAll) {
  const auto engines = engines_of(3);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < engines.size(); ++rank) {
    threads.emplace_back([&engine = *engines[rank], rank] {
      TimedCalls calls(engine, MemoryKind::kRegistered);
      const auto has_all = calls.reserve(std::size_t{1} << 16);
      ASSERT_TRUE(has_all.ok()) << has_all.status().to_string();
      EXPECT_TRUE(*has_all);
      const auto has_too_much = calls.reserve(std::size_t{1} << (rank == 1 ? 60 : 17));
      ASSERT_TRUE(has_too_much.ok()) << has_too_much.status().to_string();
      EXPECT_FALSE(*has_too_much) << "rank " << rank;
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// What is registered never becomes less, and nothing else registers so much.
TEST(MeasuredChoices, AreOnTheMemoryThatIsAskedFor) {
  constexpr std::size_t kBytes = 2 * RegisteredPool::kExtentBytes;
  const RegisteredPool& pool = **RegisteredPool::instance();
  const auto registered_by = [&](MemoryKind kind) {
    const std::size_t before = pool.segment_bytes();
    spawn({.size = 3, .transport = "shm"}, [&](Communicator& rank) {
      rank.measure_choices(Collective::kAllGather, {kBytes}, 1, kind);
    });
    return pool.segment_bytes() - before;
  };
  EXPECT_LT(registered_by(MemoryKind::kOrdinary), kBytes);
  EXPECT_GE(registered_by(MemoryKind::kRegistered), kBytes);
}

}  // namespace
}  // namespace rondo::testing
