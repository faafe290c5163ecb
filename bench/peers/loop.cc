#include "loop.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "check.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

struct Sweep {
  std::string call;
  std::size_t low = 0;
  std::size_t high = 0;
  std::size_t factor = 0;
  double seconds = 0;  ///< for one size
  /// Of rank 0, in the call before each timed one; 0: there is no such call.
  std::chrono::milliseconds late{0};
  bool in_a_row = false;  ///< no barriers between calls, which are timed together
};

std::chrono::milliseconds late() {
  const char* const text = std::getenv("RONDO_PEERS_LATE_MS");
  return std::chrono::milliseconds(text == nullptr ? 0 : std::atoi(text));
}

Sweep parse(const std::vector<std::string>& arguments) {
  if (arguments.size() < 5) {
    throw std::runtime_error("expected: CALL LO HI FACTOR SECONDS (bytes; whole numbers)");
  }
  Sweep sweep{arguments[0],
              std::stoul(arguments[1]),
              std::stoul(arguments[2]),
              std::stoul(arguments[3]),
              std::stod(arguments[4]),
              late(),
              std::getenv("RONDO_PEERS_IN_A_ROW") != nullptr};
  if (sweep.low == 0) throw std::runtime_error("LO must be at least 1: sizes grow by FACTOR");
  if (sweep.factor < 2) throw std::runtime_error("FACTOR must be at least 2");
  return sweep;
}

/// As a backward pass does: what a call reads has just been written.
void rewrite(const Data& data, bool in_place) {
  std::fill_n(in_place ? data.output : data.input, data.total, 1.0F);
}

bool is_over(World& world, Clock::time_point start, double seconds) {
  std::vector<double> is_over = {us_since(start) > seconds * 1e6 ? 1.0 : 0.0};
  world.max(is_over);
  return is_over[0] > 0;
}

/// The others have waited for rank 0 by the time that it comes.
void call_late(World& world, const Sweep& sweep, const World::Call& call, const Data& data) {
  if (world.rank() == 0) std::this_thread::sleep_for(sweep.late);
  call(data);
  if (!world.synchronises()) world.barrier();
}

/// What comes before a call.
void rewrite_together(World& world, const Data& data, bool in_place) {
  rewrite(data, in_place);
  world.barrier();
}

/// Calls behind a barrier each, by themselves.
void time_apart(World& world, const Sweep& sweep, const World::Call& call, const Data& data,
                int calls, std::vector<double>& times) {
  for (int i = 0; i < calls; ++i) {
    if (sweep.late.count() > 0) call_late(world, sweep, call, data);
    rewrite_together(world, data, is_in_place(sweep.call));
    const auto begin = Clock::now();
    call(data);
    times.push_back(us_since(begin) / messages_in(sweep.call));
    if (!world.synchronises()) world.barrier();
  }
}

/// Calls that follow each other, as a program's do; the mean of them all.
void time_row(World& world, const Sweep& sweep, const World::Call& call, const Data& data,
              int calls, std::vector<double>& times) {
  world.barrier();
  const auto begin = Clock::now();
  for (int i = 0; i < calls; ++i) {
    rewrite(data, is_in_place(sweep.call));
    call(data);
  }
  times.push_back(us_since(begin) / calls / messages_in(sweep.call));
}

std::vector<double> times(World& world, const Sweep& sweep, const World::Call& call,
                          const Data& data) {
  const int block = data.total < 16384 && sweep.late.count() == 0 ? 50 : 3;
  std::vector<double> times;
  const auto start = Clock::now();
  do {
    if (sweep.in_a_row) {
      time_row(world, sweep, call, data, 4 * block, times);
    } else {
      time_apart(world, sweep, call, data, block, times);
    }
  } while (!is_over(world, start, sweep.seconds));
  world.max(times);
  std::ranges::sort(times);
  return times;
}

void measure(World& world, const Sweep& sweep, std::size_t bytes) {
  const World::Call call = world.call(sweep.call);
  if (!call) return;
  Data data = data_of(sweep.call, bytes, world.size(), world.rank());
  data.input = world.allocate(data.total);
  data.output = world.allocate(data.total);
  if (world.synchronises()) check(world, sweep.call, call, data);
  rewrite(data, false);
  const int warm_up = world.synchronises() ? 4 : 40;
  for (int i = 0; i < warm_up; ++i) {
    if (!world.synchronises()) rewrite_together(world, data, is_in_place(sweep.call));
    call(data);
    if (!world.synchronises()) world.barrier();
  }
  const std::vector<double> sorted = times(world, sweep, call, data);
  if (world.rank() != 0) return;
  std::printf("%s,%zu,%.4f,%.4f\n", sweep.call.c_str(), bytes, sorted[sorted.size() / 2],
              sorted[sorted.size() / 10]);
  std::fflush(stdout);
}

}  // namespace

int run(World& world, const std::vector<std::string>& arguments) {
  const Sweep sweep = parse(arguments);
  const std::string library = world.library();
  if (world.rank() == 0 && !library.empty()) std::printf("library,%s\n", library.c_str());
  for (std::size_t bytes = sweep.low; bytes <= sweep.high; bytes *= sweep.factor) {
    measure(world, sweep, bytes);
  }
  return 0;
}

}  // namespace bench
