#include "tests/collectives/communicator/random_messages.h"

#include <algorithm>
#include <numeric>

namespace rondo::testing {
namespace {

constexpr std::size_t kMostMessages = 6;
constexpr int kTags = 3;
/// In all at most 24 KiB, which every transport takes before anybody receives.
constexpr std::size_t kMostBlocking = 512;
/// Some longer than the 64 KiB from which on a message waits for its receive.
constexpr std::size_t kMostStarted = 20'000;

std::vector<double> content(int rank, std::size_t first, std::size_t count) {
  std::vector<double> list(count);
  for (std::size_t i = 0; i < count; ++i) list[i] = value<double>(rank, first + i, ReduceOp::kSum);
  return list;
}

}  // namespace

RandomMessages::RandomMessages(const Communicator& ranks, std::uint64_t seed,
                               std::uint64_t number) {
  Draws draws(seed, number, kEveryRank);
  const int shift = static_cast<int>(draws.below(static_cast<std::size_t>(ranks.size())));
  to_ = (ranks.rank() + shift) % ranks.size();
  from_ = (ranks.rank() - shift + ranks.size()) % ranks.size();
  blocks_ = draws.once_in(3);
  const std::size_t messages = 1 + draws.below(kMostMessages);
  for (std::size_t k = 0; k < messages; ++k) {
    const std::size_t count = draws.below(blocks_ ? kMostBlocking + 1 : kMostStarted);
    const std::size_t first = number * 10'000'019 + k * kMostStarted;
    messages_.push_back({static_cast<int>(draws.below(kTags)), content(ranks.rank(), first, count),
                         std::vector<double>(count, -1), content(from_, first, count)});
  }
  order_.resize(messages);
  std::iota(order_.begin(), order_.end(), 0);
  // Those of one tag come in order, the tags in any.
  const auto turn = static_cast<int>(draws.below(kTags));
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
    return (messages_[a].tag + turn) % kTags < (messages_[b].tag + turn) % kTags;
  });
}

void RandomMessages::make(Communicator& ranks, std::vector<Work>& works) {
  std::vector<Call> calls;
  for (Message& m : messages_)
    calls.push_back(Call::send({m.sent.data(), m.sent.size()}, to_, m.tag));
  for (const std::size_t k : order_) {
    Message& m = messages_[k];
    calls.push_back(Call::receive({m.received.data(), m.received.size()}, from_, m.tag));
  }
  for (const Call& call : calls) {
    if (blocks_) {
      ranks.run(call);
    } else {
      works.push_back(ranks.start(call));
    }
  }
}

std::string RandomMessages::mistake() const {
  for (const Message& m : messages_) {
    if (m.received != m.wanted)
      return "a message of " + std::to_string(m.wanted.size()) + " elements with tag " +
             std::to_string(m.tag) + " from rank " + std::to_string(from_) + " is wrong";
  }
  return "";
}

}  // namespace rondo::testing
