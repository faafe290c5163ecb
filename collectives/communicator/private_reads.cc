#include "collectives/communicator/private_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "collectives/communicator/any_rank.h"
#include "collectives/communicator/timed_calls.h"
#include "core/log.h"

namespace rondo::communicator {
namespace {

using schedule::Collective;

constexpr std::size_t kSizes[] = {128 << 10, 512 << 10, 2048 << 10, 8192 << 10, 32768 << 10};
/// Beyond the noise of a machine that does other things too.
constexpr double kGain = 0.95;
/// The two ways in turn, so that what else the machine does comes to both.
constexpr int kPasses = 4;
constexpr int kRounds = 3;

Result<PrivateReadTimes> time_both(Engine& engine, TimedCalls& calls, std::size_t bytes) {
  const Place& place = engine.place();
  const algorithms::Algorithm* const direct = algorithms::find(Collective::kAllReduce, "direct");
  std::vector<double> by_slots;
  std::vector<double> by_reads;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (const bool reads : {false, true}) {
      engine.read_private_from(reads ? 1 : 0);
      RONDO_ASSIGN(const auto times, calls.run(bytes, {&direct, 1}, kRounds));
      std::vector<double>& all = reads ? by_reads : by_slots;
      all.insert(all.end(), times.front().begin(), times.front().end());
    }
  }
  const std::size_t part = bytes / static_cast<std::size_t>(place.size());
  return PrivateReadTimes{.piece = std::min(part, place.segment_bytes()),
                          .by_slots_us = median(std::move(by_slots)),
                          .by_reads_us = median(std::move(by_reads))};
}

Result<std::vector<PrivateReadTimes>> time_sizes(Engine& engine) {
  TimedCalls calls(engine);
  std::vector<PrivateReadTimes> times;
  for (const std::size_t size : kSizes) {
    const std::size_t bytes = calls.bytes_of(Collective::kAllReduce, size);
    RONDO_ASSIGN(const PrivateReadTimes both, time_both(engine, calls, bytes));
    times.push_back(both);
  }
  return times;
}

void tell(std::span<const PrivateReadTimes> times, std::size_t first) {
  log(LogLevel::kInfo, [&] {
    if (times.empty()) return std::string("private memory: no rank may read another's");
    std::string text =
        "private memory in all_reduce, us by slots and by process_vm_readv, by bytes of a piece:";
    for (const PrivateReadTimes& one : times)
      text += fmt::format(" {}: {:.1f} and {:.1f};", one.piece, one.by_slots_us, one.by_reads_us);
    return text +
           (first == 0 ? " slots at every size" : fmt::format(" read from {} bytes on", first));
  });
}

}  // namespace

std::size_t first_faster_piece(std::span<const PrivateReadTimes> times) {
  std::size_t longest_slower = 0;
  for (const PrivateReadTimes& one : times) {
    if (one.by_reads_us > kGain * one.by_slots_us)
      longest_slower = std::max(longest_slower, one.piece);
  }
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::size_t first = kNone;
  for (const PrivateReadTimes& one : times) {
    if (one.piece > longest_slower) first = std::min(first, one.piece);
  }
  return first == kNone ? 0 : first;
}

Result<std::size_t> measure_private_reads(Engine& engine) {
  // Not in places of one process, nor where the kernel forbids it (ptrace restrictions).
  RONDO_ASSIGN(const bool may, any_rank(engine, engine.place().mesh().may_read_private()));
  const auto times = may ? time_sizes(engine)
                         : Result<std::vector<PrivateReadTimes>>(std::vector<PrivateReadTimes>());
  const std::size_t asked = engine.place().options().private_read_bytes;
  engine.read_private_from(asked);
  RONDO_TRY(times.status());
  const std::size_t first = first_faster_piece(*times);
  if (asked == 0) engine.read_private_from(first);
  if (engine.place().rank() == 0) tell(*times, first);
  return first;
}

}  // namespace rondo::communicator
