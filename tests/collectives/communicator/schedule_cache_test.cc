// What is kept of the schedules that plans were made of: which calls share one, for how long, and
// how many are kept.

#include "collectives/communicator/schedule_cache.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "collectives/schedule/fuse.h"

namespace rondo::communicator {
namespace {

using schedule::Collective;
using schedule::FusedSchedule;
using schedule::Request;

const algorithms::Algorithm& algorithm(Collective collective, std::string_view name) {
  return *algorithms::find(collective, name);
}

schedule::SharedLayout one_host(int world) {
  return std::make_shared<const schedule::HostLayout>(schedule::HostLayout::one_host(world));
}

Request sum_of_four(schedule::Rank rank, std::uint32_t rows = 4) {
  return {.collective = Collective::kAllReduce, .world = 4, .rank = rank, .rows = rows};
}

/// Two ranks: the root sends each row.
Request broadcast(std::uint32_t rows, schedule::Rank root = 0) {
  return {.collective = Collective::kBroadcast, .world = 2, .rank = 0, .root = root, .rows = rows};
}

const algorithms::Algorithm& tree() { return algorithm(Collective::kBroadcast, "tree"); }

FusedSchedule as_built(const algorithms::Algorithm& algorithm, const Request& own) {
  const schedule::FoldedWorld world = schedule::fuse_folded([&](int rank) {
    Request request = own;
    request.rank = rank;
    return algorithm.build(request);
  });
  return unfold(world, own.rank);
}

void expect_same(const FusedSchedule& one, const FusedSchedule& other) {
  EXPECT_EQ(one.request.rank, other.request.rank);
  EXPECT_EQ(one.request.root, other.request.root);
  EXPECT_EQ(one.request.rows, other.request.rows);
  EXPECT_EQ(one.ports, other.ports);
  EXPECT_EQ(one.lanes, other.lanes);
  EXPECT_EQ(one.scratch_rows, other.scratch_rows);
}

TEST(ScheduleCache, TheSameRequest_IsBuiltOnce) {
  ScheduleCache cache(ScheduleCache::Keep::kOwn);
  const algorithms::Algorithm& ring = algorithm(Collective::kAllReduce, "ring");
  const KnownSchedules first = cache.of(ring, sum_of_four(2));
  EXPECT_EQ(cache.of(ring, sum_of_four(2)).own, first.own);
  EXPECT_EQ(cache.builds(), 1U);
  expect_same(first.own->schedule, as_built(ring, sum_of_four(2)));
}

TEST(ScheduleCache, WhateverASchedulesDependsOn_MakesItAnother) {
  ScheduleCache cache(ScheduleCache::Keep::kOwn);
  std::uint64_t builds = 0;
  const auto expect_another = [&](const algorithms::Algorithm& by, const Request& request) {
    expect_same(cache.of(by, request).own->schedule, as_built(by, request));
    EXPECT_EQ(cache.builds(), ++builds);
  };
  const algorithms::Algorithm& ring = algorithm(Collective::kAllReduce, "ring");
  expect_another(ring, sum_of_four(2));
  expect_another(ring, sum_of_four(1));
  expect_another(ring, sum_of_four(2, 8));
  expect_another(algorithm(Collective::kAllReduce, "direct"), sum_of_four(2));
  Request laid_out = sum_of_four(2);
  laid_out.layout = one_host(4);
  expect_another(ring, laid_out);
  laid_out.layout = one_host(4);
  expect_another(ring, laid_out);
  expect_another(tree(), broadcast(1, 0));
  expect_another(tree(), broadcast(1, 1));
}

TEST(ScheduleCache, OfMoreThanItKeeps_ThoseThatWereUsedLastStay) {
  ScheduleCache cache(ScheduleCache::Keep::kOwn);
  constexpr auto kMost = static_cast<std::uint32_t>(ScheduleCache::kMost);
  for (std::uint32_t rows = 1; rows <= kMost; ++rows) cache.of(tree(), broadcast(rows));
  cache.of(tree(), broadcast(1));
  cache.of(tree(), broadcast(kMost + 1));
  EXPECT_EQ(cache.builds(), kMost + 1);
  cache.of(tree(), broadcast(1));
  EXPECT_EQ(cache.builds(), kMost + 1) << "it was used later than the second one";
  cache.of(tree(), broadcast(2));
  EXPECT_EQ(cache.builds(), kMost + 2);
}

TEST(ScheduleCache, KeepsSoManySteps_OrOneScheduleThatHasMore) {
  // Each row is a sweep with a source and, at the root, two targets.
  constexpr auto kHalf = static_cast<std::uint32_t>(ScheduleCache::kMostSteps / 8);
  ScheduleCache cache(ScheduleCache::Keep::kOwn);
  cache.of(tree(), broadcast(kHalf + 10));
  cache.of(tree(), broadcast(kHalf + 11));
  cache.of(tree(), broadcast(kHalf + 10));
  EXPECT_EQ(cache.builds(), 3U) << "there is no room for both";
  cache.of(tree(), broadcast(kHalf - 100));
  cache.of(tree(), broadcast(kHalf - 101));
  cache.of(tree(), broadcast(kHalf - 100));
  EXPECT_EQ(cache.builds(), 5U) << "there is for these";
  cache.of(tree(), broadcast(3 * kHalf));
  cache.of(tree(), broadcast(3 * kHalf));
  EXPECT_EQ(cache.builds(), 6U);
}

TEST(ScheduleCache, WhatWasForgotten_IsBuiltAgain_AndStaysWithWhoHasIt) {
  ScheduleCache cache(ScheduleCache::Keep::kOwn);
  const KnownSchedules known = cache.of(tree(), broadcast(3));
  cache.forget();
  EXPECT_NE(cache.of(tree(), broadcast(3)).own, known.own);
  EXPECT_EQ(cache.builds(), 2U);
  expect_same(known.own->schedule, as_built(tree(), broadcast(3)));
}

TEST(ScheduleCache, KeepsTheWholeWorld_WhereItIsToldTo) {
  ScheduleCache own(ScheduleCache::Keep::kOwn);
  EXPECT_EQ(own.of(tree(), broadcast(3)).world, nullptr);
  ScheduleCache whole(ScheduleCache::Keep::kWorld);
  const KnownSchedules known = whole.of(tree(), broadcast(3));
  ASSERT_NE(known.world, nullptr);
  expect_same(unfold(*known.world, 0), known.own->schedule);
}

/// Slots of peers that `world` stores to, each of which a rank has to know.
std::size_t expect_peers_slots(const schedule::FoldedWorld& world) {
  std::size_t slots = 0;
  for (schedule::Rank rank = 0; rank < world.rotation.world(); ++rank) {
    const OwnPart own = own_part(world, rank);
    for (const schedule::Port& port : own.schedule.ports) {
      if (!port.direct || port.slice.buffer != schedule::BufferRole::kScratch) continue;
      const auto known = own.scratch_rows.find(port.peer);
      if (known == own.scratch_rows.end()) {
        ADD_FAILURE() << "rank " << rank << " doesn't know those of rank " << port.peer;
        continue;
      }
      EXPECT_EQ(known->second, schedule::scratch_rows(world, port.peer));
      ++slots;
    }
  }
  return slots;
}

TEST(OwnPart, HasThePeersScratchThatItStoresTo) {
  std::size_t slots = 0;
  for (const algorithms::Algorithm& each : algorithms::all()) {
    for (int size = 2; size <= 9; ++size) {
      SCOPED_TRACE(each.name);
      Request request{.collective = each.collective, .world = size, .layout = one_host(size)};
      request.rows = each.rows(request, 100'000);
      slots += expect_peers_slots(schedule::fuse_folded([&](int rank) {
        Request of_rank = request;
        of_rank.rank = rank;
        return each.build(of_rank);
      }));
    }
  }
  EXPECT_GT(slots, 0U) << "no algorithm stores to scratch";
}

}  // namespace
}  // namespace rondo::communicator
