// Prepared calls that outlive their communicator: they say so, whatever they are, and are destroyed
// behind all that they were made of.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;

constexpr std::size_t kFew = 2;
constexpr std::size_t kMany = 300'000;

/// What one rank has prepared, with its memory.
class Kept {
 public:
  Kept(Communicator& rank, bool in_streams)
      : data_(rank.device(), kMany, false), others_(rank.device(), kMany, false) {
    const auto ranks = static_cast<std::size_t>(rank.size());
    const std::vector<std::size_t> counts(ranks, kFew);
    const Buffer whole = data_.buffer(0, kFew * ranks);
    keep(rank, Call::barrier());
    for (const std::size_t count : {kFew, kMany}) {
      keep(rank, Call::all_reduce(data_.buffer(0, count)));
      const Call call =
          Call::all_reduce(data_.buffer(0, count), others_.buffer(0, count), ReduceOp::kMax);
      keep(rank, in_streams ? call.on(Stream(rank.device())) : call);
    }
    keep(rank, Call::all_gather_v(others_.buffer(0, kFew), whole, counts));
    if (rank.device().kind == DeviceKind::kHost)
      keep(rank, Call::send(others_.buffer(0, kFew), rank.rank()));
  }

  std::vector<Prepared>& calls() { return calls_; }

 private:
  void keep(Communicator& rank, const Call& call) {
    calls_.push_back(rank.prepare(call));
    if (call.exchange == Call::Exchange::kNone) calls_.back().run();
  }

  Memory<float> data_, others_;
  std::vector<Prepared> calls_;
};

struct Case {
  const char* name;
  World world;
  bool in_streams = false;  ///< some of the calls; so they are started
};

class Outlived : public ::testing::TestWithParam<Case> {};

TEST_P(Outlived, PreparedCalls_SayThatTheirCommunicatorIsDestroyed) {
  auto ranks = make_world(GetParam().world);
  std::vector<std::unique_ptr<Kept>> kept(ranks.size());
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    kept[static_cast<std::size_t>(rank.rank())] =
        std::make_unique<Kept>(rank, GetParam().in_streams);
  });
  ASSERT_THAT(errors, ::testing::Each(""));
  ranks.clear();
  const auto says_so = ::testing::Throws<Error>(
      AllOf(Property(&Error::code, ErrorCode::kInvalidArgument),
            Property(&Error::message, HasSubstr("communicator of this call is destroyed"))));
  for (const auto& of_rank : kept) {
    for (Prepared& call : of_rank->calls()) {
      EXPECT_THAT([&] { call.run(); }, says_so);
      EXPECT_THAT([&] { call.start(); }, says_so);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Worlds, Outlived,
    ::testing::Values(
        Case{"alone", {.size = 1}}, Case{"inproc", {.size = 3}},
        Case{"shm", {.size = 3, .transport = "shm"}, true},
        Case{"tcp", {.size = 3, .transport = "tcp"}},
        Case{"in_a_wire_format", {.size = 3, .transport = "tcp", .wire_format = "int8"}, true},
        Case{"caller", {.size = 3, .progress = "caller"}, true},
        Case{"devices", {.size = 3, .device = Device::emulated(0)}, true},
        Case{"devices_apart", {.size = 3, .transport = "tcp", .device = Device::emulated(0)}}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace rondo::testing
