// What tracing costs a call: all-reduces of two ranks, 8 bytes over shared memory if nothing else
// is said, with and without it in turns, so that whatever else the machine does hits both alike.
// Both worlds are made anew every few rounds, in turns the one or the other first: where their
// memory lies decides more about a call of some kilobytes than its trace does. Prints medians in
// ns, and that of the rounds' differences.
//
//   trace_cost [ROUNDS] [TRANSPORT] [LIMIT_NS] [BYTES] [RANKS]      fails where it costs more

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/trace/call_timer.h"
#include "core/trace/record_ring.h"
#include "core/trace/series.h"
#include "rondo/communicator.h"

namespace {

/// RONDO_TRACE_CALLS where nobody says another number.
constexpr int kRecordsKept = 1024;

/// Fewer of long ones: as many bytes, about.
int calls_per_round(std::size_t bytes) {
  return static_cast<int>(std::clamp<std::size_t>((std::size_t{16} << 20) / bytes, 2, 2'000));
}
using Clock = std::chrono::steady_clock;

std::vector<rondo::Communicator> world(const char* trace, const std::string& transport,
                                       std::size_t ranks) {
  setenv("RONDO_TRACE", trace, 1);
  rondo::CommunicatorOptions options;
  options.transport = transport;
  return rondo::Communicator::create(std::vector(ranks, rondo::Device::host()), options);
}

double ns_per_call(rondo::Communicator& rank, std::vector<double>& values, int calls) {
  const rondo::Buffer data{values.data(), values.size(), rondo::DataType::kF64};
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) rank.all_reduce(data, rondo::ReduceOp::kMax);
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / calls;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// All that a call does for its trace, by itself: four readings beside those of begin and end.
double ns_per_record() {
  rondo::trace::RecordRing ring(1024);
  rondo::trace::Series series;
  rondo::trace::CallTimer timer;
  constexpr int kRecords = 1'000'000;
  const auto start = Clock::now();
  for (int i = 0; i < kRecords; ++i) {
    const rondo::Ticks now = rondo::ticks_now();
    timer.begin({}, now, now);
    timer.record().sequence = static_cast<std::uint64_t>(i);
    timer.idle(1);
    timer.moved();
    timer.reduces_to_the_end();
    timer.end();
    ring.push(timer.record());
    series.add(timer.record(), 0.5);
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kRecords;
}

/// What rank 0 measured, in ns a call, by round.
struct Times {
  std::vector<double> off, on;

  double median_difference() const {
    std::vector<double> differences(off.size());
    std::ranges::transform(on, off, differences.begin(), std::minus());
    return median(std::move(differences));
  }
};

/// The world that was made first is called first, too.
void measure(std::vector<rondo::Communicator>& without, std::vector<rondo::Communicator>& with,
             bool off_is_first, int rounds, std::size_t bytes, Times& times) {
  const auto drive = [&](std::size_t rank) {
    std::vector<double> values(bytes / sizeof(double), 1.5 + static_cast<double>(rank));
    const int calls = calls_per_round(bytes);
    // Until all of the memory that records lie in has been written once.
    ns_per_call(off_is_first ? without[rank] : with[rank], values, kRecordsKept);
    ns_per_call(off_is_first ? with[rank] : without[rank], values, kRecordsKept);
    for (int i = 0; i < rounds; ++i) {
      // Whoever comes second has the other's memory in the caches.
      const bool off_first = i % 2 == 0;
      const double first = ns_per_call(off_first ? without[rank] : with[rank], values, calls);
      const double second = ns_per_call(off_first ? with[rank] : without[rank], values, calls);
      if (rank != 0) continue;
      times.off.push_back(off_first ? first : second);
      times.on.push_back(off_first ? second : first);
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t rank = 1; rank < with.size(); ++rank) others.emplace_back(drive, rank);
  drive(0);
}

/// Whether its all-reduces, the only kind of its calls, are in its metrics.
bool is_counted(const rondo::Communicator& rank) {
  const std::string metrics = rank.metrics();
  const std::size_t begin = metrics.find("rondo_calls_total{");
  const std::size_t end = metrics.find('\n', begin);
  return begin != std::string::npos && !metrics.substr(begin, end - begin).ends_with("} 0");
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 400;
  const std::string transport = argc > 2 ? argv[2] : "shm";
  const std::size_t bytes =
      argc > 4 ? std::max<std::size_t>(8, std::strtoul(argv[4], nullptr, 10)) : 8;
  const std::size_t ranks =
      argc > 5 ? std::max<std::size_t>(2, std::strtoul(argv[5], nullptr, 10)) : 2;
  constexpr int kRoundsOfAWorld = 10;
  Times times;
  for (int left = rounds; left > 0; left -= kRoundsOfAWorld) {
    // Whoever is made second has other memory.
    const bool off_first = left / kRoundsOfAWorld % 2 == 0;
    auto first = world(off_first ? "off" : "on", transport, ranks);
    auto second = world(off_first ? "on" : "off", transport, ranks);
    auto& without = off_first ? first : second;
    auto& with = off_first ? second : first;
    measure(without, with, off_first, std::min(left, kRoundsOfAWorld), bytes, times);
    if (is_counted(with[0]) && !is_counted(without[0])) continue;
    fmt::print(stderr, "trace_cost: the traced calls have to be counted, and no others\n");
    return 1;
  }
  const double more = times.median_difference();
  fmt::print(
      "{}-byte all-reduce, {} ranks, {}: {:.0f} ns without trace, {:.0f} ns with it; "
      "by round {:+.0f} ns\n",
      bytes, ranks, transport, median(times.off), median(times.on), more);
  const double record = ns_per_record();
  fmt::print("a record by itself: {:.0f} ns\n", record);
  const double limit = argc > 3 ? std::atof(argv[3]) : std::numeric_limits<double>::infinity();
  return more <= limit && record <= limit ? 0 : 1;
}
