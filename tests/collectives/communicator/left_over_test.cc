// Worlds that fail, again and again: when their communicators are gone the process has as many
// descriptors and mappings of shared memory as before.

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/open_things.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr int kRounds = 20;
constexpr std::size_t kCount = 30'000;

/// What a rank does with its data once a call has gone well.
using Step = std::function<void(Communicator&, Memory<float>&)>;

/// How a world fails. Rank 1 is the one that fails it.
struct Failure {
  const char* name;
  Step step;
  int timeout_ms = 20'000;
};

void all_reduce(Communicator& rank, Memory<float>& data, std::size_t count = kCount) {
  rank.all_reduce(data.buffer(0, count));
}

void until_it_fails(Communicator& rank, Memory<float>& data) {
  for (int i = 0; i < 10; ++i) all_reduce(rank, data);
}

void throw_on_rank_1(void*, const void*, std::size_t, DataType, void* context) {
  if (static_cast<const Communicator*>(context)->rank() == 1)
    throw std::runtime_error("the 8th element is odd");
}

const std::vector<Failure>& failures() {
  static const std::vector<Failure> all = {
      {"a mismatch",
       [](Communicator& rank, Memory<float>& data) {
         all_reduce(rank, data, rank.rank() == 1 ? kCount - 1 : kCount);
         rank.barrier();
       }},
      {"a peer that left",
       [](Communicator& rank, Memory<float>& data) {
         if (rank.rank() != 1) return until_it_fails(rank, data);
         const Communicator left(std::move(rank));
       }},
      {"a peer that gave up",
       [](Communicator& rank, Memory<float>& data) {
         if (rank.rank() == 1) rank.abort(Error(ErrorCode::kDataLoss, "the file ends too soon"));
         until_it_fails(rank, data);
       }},
      {"a peer that never came",
       [](Communicator& rank, Memory<float>& data) {
         if (rank.rank() != 1) until_it_fails(rank, data);
       },
       50},
      {"a function that threw",
       [](Communicator& rank, Memory<float>& data) {
         rank.all_reduce(data.buffer(0, kCount),
                         Reduction::custom({.function = throw_on_rank_1, .context = &rank}));
         until_it_fails(rank, data);
       }},
      {"a peer that left with calls outstanding",
       [](Communicator& rank, Memory<float>& data) {
         if (rank.rank() != 1) return until_it_fails(rank, data);
         Communicator left(std::move(rank));
         std::vector<Work> dropped;
         for (int i = 0; i < 3; ++i)
           dropped.push_back(left.start(Call::all_reduce(data.buffer(0, kCount))));
       }},
  };
  return all;
}

struct Where {
  const char* transport;
  Device device = Device::host();
};

class LeftOver : public ::testing::TestWithParam<Where> {
 protected:
  static void fail_once(const Failure& failure) {
    const auto& [transport, device] = GetParam();
    auto ranks = make_world(
        {.size = 3, .transport = transport, .device = device, .timeout_ms = failure.timeout_ms});
    const auto errors = run_ranks(ranks, [&](Communicator& rank) {
      Memory<float> data(rank.device(), kCount, rank.rank() != 0);
      data.write(0, std::vector<float>(kCount, 0));
      all_reduce(rank, data);
      failure.step(rank, data);
    });
    for (const std::size_t rank : {0U, 2U}) EXPECT_NE(errors[rank], "") << failure.name;
  }
};

TEST_P(LeftOver, AfterWorldsThatFailed_IsNothing) {
  // Registered memory, and the devices' own, are the process's for good.
  for (const Failure& failure : failures()) fail_once(failure);
  const OpenThings before = OpenThings::now();
  for (const Failure& failure : failures()) {
    for (int round = 0; round < kRounds; ++round) fail_once(failure);
    expect_no_more_open_than(before, failure.name);
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, LeftOver,
                         ::testing::Values(Where{"inproc"}, Where{"shm"}, Where{"tcp"},
                                           Where{"shm", Device::emulated(0)}),
                         [](const auto& parameter) {
                           return std::string(parameter.param.transport) + "_" +
                                  to_string(parameter.param.device.kind);
                         });

}  // namespace
}  // namespace rondo::testing
