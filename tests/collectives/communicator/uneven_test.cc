// Collectives whose parts have sizes of their own: every transport, in place and out of place,
// parts that are empty, odd, and exactly whole segments; and ranks that differ about a part's size.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/values.h"

namespace rondo::testing {
namespace {

using ::testing::HasSubstr;

using Counts = std::vector<std::size_t>;

/// Elements of one of the executor's segments: the part sizes to be careful about.
constexpr std::size_t kSegment = std::size_t{256} * 1024 / sizeof(float);

/// Sizes of parts, by sender and receiver: the same on every rank.
std::size_t part_size(int from, int to, int turn) {
  constexpr std::size_t kSizes[] = {0, 1, 1009, kSegment, 5, 2 * kSegment, 7, 3 * kSegment + 1};
  return kSizes[static_cast<std::size_t>(3 * from + 5 * to + turn) % std::size(kSizes)];
}

Counts counts_of(int world, int turn) {
  Counts counts;
  for (int rank = 0; rank < world; ++rank) counts.push_back(part_size(rank, 0, turn));
  return counts;
}

std::size_t sum_of(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::size_t offset_of(const Counts& counts, int rank) {
  return std::accumulate(counts.begin(), counts.begin() + rank, std::size_t{0});
}

std::vector<float> part_of(const std::vector<float>& whole, const Counts& counts, int rank) {
  const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(offset_of(counts, rank));
  return {begin, begin + static_cast<std::ptrdiff_t>(counts[static_cast<std::size_t>(rank)])};
}

struct Setting {
  int world = 1;
  int turn = 0;
  int root = 0;
  bool in_place = false;
  bool registered = false;
};

std::vector<Setting> settings(int world) {
  std::vector<Setting> list;
  for (int turn = 0; turn < 8; ++turn) {
    list.push_back({.world = world,
                    .turn = turn,
                    .root = turn % world,
                    .in_place = turn % 2 == 0,
                    .registered = turn % 4 < 2});
  }
  return list;
}

/// What ranks gather: `everybody` or the root alone.
void gather_parts(Communicator& rank, const Setting& s, bool everybody) {
  const Counts counts = counts_of(s.world, s.turn);
  const auto own = counts[static_cast<std::size_t>(rank.rank())];
  const bool receives = everybody || rank.rank() == s.root;
  const bool in_place = s.in_place && receives;
  Memory<float> input(rank.device(), own, s.registered);
  Memory<float> output(rank.device(), receives ? sum_of(counts) : 0, s.registered);
  const std::size_t first = receives ? offset_of(counts, rank.rank()) : 0;
  const auto mine = values<float>(rank.rank(), own, ReduceOp::kSum);
  in_place ? output.write(first, mine) : input.write(0, mine);
  const Buffer from = in_place ? output.buffer(first, own) : input.buffer(0, own);
  if (everybody) {
    rank.all_gather_v(from, output.buffer(0, sum_of(counts)), counts);
  } else {
    rank.gather_v(from, receives ? output.buffer(0, sum_of(counts)) : Buffer{},
                  receives ? counts : Counts{}, s.root);
  }
  if (!receives) return;
  const auto whole = output.read(0, sum_of(counts));
  for (int peer = 0; peer < s.world; ++peer) {
    const auto count = counts[static_cast<std::size_t>(peer)];
    EXPECT_TRUE(part_of(whole, counts, peer) == values<float>(peer, count, ReduceOp::kSum))
        << "part " << peer << ", turn " << s.turn;
  }
}

void scatter_parts(Communicator& rank, const Setting& s) {
  const Counts counts = counts_of(s.world, s.turn);
  const auto own = counts[static_cast<std::size_t>(rank.rank())];
  const bool is_root = rank.rank() == s.root;
  const bool in_place = s.in_place && is_root;
  const std::size_t first = offset_of(counts, rank.rank());
  Memory<float> input(rank.device(), is_root ? sum_of(counts) : 0, s.registered);
  Memory<float> output(rank.device(), own, s.registered);
  const auto whole = values<float>(s.root, sum_of(counts), ReduceOp::kSum);
  if (is_root) input.write(0, whole);
  rank.scatter_v(is_root ? input.buffer(0, sum_of(counts)) : Buffer{},
                 in_place ? input.buffer(first, own) : output.buffer(0, own),
                 is_root ? counts : Counts{}, s.root);
  EXPECT_TRUE((in_place ? input.read(first, own) : output.read(0, own)) ==
              part_of(whole, counts, rank.rank()))
      << "turn " << s.turn;
}

void reduce_and_scatter_parts(Communicator& rank, const Setting& s) {
  const Counts counts = counts_of(s.world, s.turn);
  const auto own = counts[static_cast<std::size_t>(rank.rank())];
  const std::size_t first = offset_of(counts, rank.rank());
  Memory<float> input(rank.device(), sum_of(counts), s.registered);
  Memory<float> output(rank.device(), own, s.registered);
  input.write(0, values<float>(rank.rank(), sum_of(counts), ReduceOp::kSum));
  const Buffer target = s.in_place ? input.buffer(first, own) : output.buffer(0, own);
  rank.reduce_scatter_v(input.buffer(0, sum_of(counts)), target, counts);
  const auto result = s.in_place ? input.read(first, own) : output.read(0, own);
  EXPECT_EQ(first_wrong(result.data(), own, s.world, ReduceOp::kSum, first), -1)
      << "turn " << s.turn;
}

void exchange_parts(Communicator& rank, const Setting& s) {
  Counts to, from;
  for (int peer = 0; peer < s.world; ++peer) {
    to.push_back(part_size(rank.rank(), peer, s.turn));
    from.push_back(part_size(peer, rank.rank(), s.turn));
  }
  Memory<float> input(rank.device(), sum_of(to), s.registered);
  Memory<float> output(rank.device(), sum_of(from), s.registered);
  input.write(0, values<float>(rank.rank(), sum_of(to), ReduceOp::kSum));
  rank.all_to_all_v(input.buffer(0, sum_of(to)), to, output.buffer(0, sum_of(from)), from);
  const auto whole = output.read(0, sum_of(from));
  for (int peer = 0; peer < s.world; ++peer) {
    Counts theirs;
    for (int other = 0; other < s.world; ++other) theirs.push_back(part_size(peer, other, s.turn));
    EXPECT_TRUE(part_of(whole, from, peer) ==
                part_of(values<float>(peer, sum_of(theirs), ReduceOp::kSum), theirs, rank.rank()))
        << "part " << peer << ", turn " << s.turn;
  }
}

/// The transport, and whether the ranks are on devices.
struct Where {
  const char* transport;
  bool on_devices = false;

  Device device() const { return on_devices ? Device::emulated(0) : Device::host(); }
};

class Uneven : public ::testing::TestWithParam<std::tuple<Where, int>> {};

TEST_P(Uneven, EveryCollective_EveryPart_IsWhereItBelongs) {
  const auto& [where, world] = GetParam();
  const World places{.size = world, .transport = where.transport, .device = where.device()};
  spawn(places, [world = world](Communicator& rank) {
    for (const Setting& s : settings(world)) {
      gather_parts(rank, s, true);
      gather_parts(rank, s, false);
      scatter_parts(rank, s);
      reduce_and_scatter_parts(rank, s);
      exchange_parts(rank, s);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, Uneven,
                         ::testing::Combine(::testing::Values(Where{"inproc"}, Where{"shm"},
                                                              Where{"tcp"}, Where{"inproc", true},
                                                              Where{"shm", true}),
                                            ::testing::Values(1, 2, 3, 5)),
                         [](const auto& parameter) {
                           const Where& where = std::get<0>(parameter.param);
                           return std::string(where.transport) +
                                  (where.on_devices ? "_devices_" : "_") +
                                  std::to_string(std::get<1>(parameter.param));
                         });

// Bruck's all-to-all relays rows whose sizes relays don't know: another algorithm steps in.
TEST(Uneven, AlgorithmThatRelays_IsNotTaken) {
  for (const char* transport : {"inproc", "tcp"}) {
    spawn({.size = 5, .transport = transport, .algorithm = "bruck"}, [](Communicator& rank) {
      for (const Setting& s : settings(5)) {
        gather_parts(rank, s, true);
        EXPECT_EQ(rank.last_call().algorithm, "bruck");
        exchange_parts(rank, s);
        EXPECT_EQ(rank.last_call().algorithm, "direct");
      }
    });
  }
}

/// Rank 1 sends rank 0 `sent` elements, which expects another number of them.
struct Difference {
  std::size_t sent = 0;
  std::size_t expected = 0;
};
constexpr Difference kDifferences[] = {{kSegment, 2 * kSegment}, {2 * kSegment, kSegment}, {5, 6}};

void gather_differently(Communicator& rank, Memory<float>& data, const Difference& of) {
  if (rank.rank() == 0) {
    const Counts counts{3, of.expected};
    rank.gather_v(data.buffer(0, 3), data.buffer(0, 3 + of.expected), counts, 0);
  } else {
    rank.gather_v(data.buffer(0, of.sent), Buffer{}, {}, 0);
  }
}

void scatter_differently(Communicator& rank, Memory<float>& data, const Difference& of) {
  if (rank.rank() == 0) {
    rank.scatter_v(Buffer{}, data.buffer(0, of.expected), {}, 1);
  } else {
    const Counts counts{of.sent, 3};
    rank.scatter_v(data.buffer(0, of.sent + 3), data.buffer(of.sent, 3), counts, 1);
  }
}

void exchange_differently(Communicator& rank, Memory<float>& data, const Difference& of) {
  const Counts to = rank.rank() == 0 ? Counts{1, 3} : Counts{of.sent, 1};
  const Counts from = rank.rank() == 0 ? Counts{1, of.expected} : Counts{3, 1};
  rank.all_to_all_v(data.buffer(0, sum_of(to)), to, data.buffer(sum_of(to), sum_of(from)), from);
}

using DifferentCall = void (*)(Communicator&, Memory<float>&, const Difference&);

void expect_difference_is_told(const Where& where, const DifferentCall& call,
                               const Difference& of) {
  auto ranks = make_world(
      {.size = 2, .transport = where.transport, .device = where.device(), .timeout_ms = 20'000});
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    Memory<float> data(rank.device(), 4 * kSegment, false);
    call(rank, data, of);
    // Rank 0 gave up: rank 1 hears it at the latest here.
    if (rank.rank() == 1) rank.barrier();
  });
  EXPECT_THAT(errors[0], HasSubstr("Mismatch"));
  EXPECT_THAT(errors[0], HasSubstr("rank 1 sent"));
  EXPECT_THAT(errors[1], HasSubstr("Mismatch"));
}

// Whole segments more or less on one side: the first segments are alike, and yet it must show in
// this call, not in a later one.
TEST(Uneven, RanksDifferAboutAPart_IsAMismatchInThatCall) {
  const std::pair<const char*, DifferentCall> calls[] = {{"gather_v", &gather_differently},
                                                         {"scatter_v", &scatter_differently},
                                                         {"all_to_all_v", &exchange_differently}};
  for (const Where where :
       {Where{"inproc"}, Where{"shm"}, Where{"tcp"}, Where{"inproc", true}, Where{"shm", true}}) {
    for (const auto& [name, call] : calls) {
      for (const Difference& of : kDifferences) {
        SCOPED_TRACE(std::string(name) + " over " + where.transport + ", " +
                     std::to_string(of.sent));
        expect_difference_is_told(where, call, of);
      }
    }
  }
}

/// The part's size, beside that of the message in which it shows.
TEST(Uneven, APartOfManyMessages_IsToldWithItsSize) {
  constexpr std::size_t kExpected = 3 * kSegment + 1;
  for (const bool tcp : {false, true}) {
    auto ranks = make_world({.size = 2, .transport = tcp ? "tcp" : "shm", .timeout_ms = 20'000});
    const auto errors = run_ranks(ranks, [&](Communicator& rank) {
      Memory<float> data(rank.device(), 4 * kSegment, false);
      gather_differently(rank, data, {.sent = 3 * kSegment - 2, .expected = kExpected});
      if (rank.rank() == 1) rank.barrier();
    });
    EXPECT_THAT(errors[0], HasSubstr(fmt::format("({} bytes, in messages of {})",
                                                 kExpected * sizeof(float), tcp ? 262144 : 65536)));
  }
}

/// What all four ranks end with, where rank 0 takes the parts to be others than its peers do.
std::vector<std::string> errors_of(const World& world, bool gathers, std::size_t unit) {
  const Counts mine{unit, unit, 2 * unit, unit};
  const Counts theirs{unit, unit, unit, 2 * unit};
  auto ranks = make_world(world);
  return run_ranks(ranks, [&](Communicator& rank) {
    const Counts& counts = rank.rank() == 0 ? mine : theirs;
    const auto own = counts[static_cast<std::size_t>(rank.rank())];
    std::vector<float> whole(5 * unit, 0.25F);
    std::vector<float> part(own, 0.5F);
    if (gathers) {
      rank.all_gather_v({part.data(), own}, {whole.data(), whole.size()}, counts);
    } else {
      rank.reduce_scatter_v({whole.data(), whole.size()}, {part.data(), own}, counts);
    }
  });
}

void expect_mismatch(const World& world, std::size_t unit) {
  for (const bool gathers : {true, false}) {
    const auto errors = errors_of(world, gathers, unit);
    EXPECT_THAT(errors, ::testing::Each(HasSubstr("Mismatch"))) << world.transport << unit;
    EXPECT_THAT(errors[0], HasSubstr("counts #")) << world.transport << unit;
  }
}

/// All know all parts, and each takes its own word for it: whole segments that change places would
/// go unseen, message by message; so would bulletins.
TEST(Uneven, RanksThatShareTheWholeOutOtherwise_AreAMismatch) {
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    for (const char* algorithm : {"ring", "direct", "pat", "hierarchical", "neighbour_ring"}) {
      SCOPED_TRACE(algorithm);
      expect_mismatch(
          {.size = 4, .transport = transport, .algorithm = algorithm, .timeout_ms = 20'000},
          kSegment);
    }
    expect_mismatch(
        {.size = 4, .transport = transport, .algorithm = "direct", .timeout_ms = 20'000}, 3);
  }
}

std::string refusal(const std::function<void(Communicator&)>& call) {
  Communicator alone = Communicator::create();
  try {
    call(alone);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.message();
  }
  return "no error";
}

TEST(Uneven, WrongCounts_AreRefusedByName) {
  std::vector<float> data(10);
  const Buffer five(data.data(), 5);
  const Buffer other(data.data() + 5, 5);
  const auto gathered = [&](const Counts& counts) {
    return refusal([&](Communicator& rank) { rank.all_gather_v(five, other, counts); });
  };
  EXPECT_THAT(gathered({2, 3}), HasSubstr("2 counts of the output for 1 ranks"));
  EXPECT_THAT(gathered({4}), HasSubstr("counts of the output sum to 4, but output.count is 5"));
  EXPECT_THAT(refusal([&](Communicator& rank) {
                rank.gather_v({data.data(), 4}, other, Counts{5}, 0);
              }),
              HasSubstr("the count of this rank (0) is 5, but input.count is 4"));
  EXPECT_THAT(refusal([&](Communicator& rank) {
                rank.all_to_all_v(five, Counts{5}, {data.data() + 5, 4}, Counts{4});
              }),
              HasSubstr("rank 0 sends itself 5 elements and expects 4"));
}

}  // namespace
}  // namespace rondo::testing
