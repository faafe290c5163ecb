#include "loop.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <utility>

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
  bool in_a_row = false;    ///< no barriers between calls, which are timed together
  bool new_counts = false;  ///< of each call
};

/// The data of calls that follow each other.
class DataInTurn {
 public:
  explicit DataInTurn(std::vector<Data> all) : all_(std::move(all)) {}

  std::size_t size() const { return all_.size(); }
  const Data& next() { return all_[next_++ % all_.size()]; }

 private:
  std::vector<Data> all_;
  std::size_t next_ = 0;
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
              std::getenv("RONDO_PEERS_IN_A_ROW") != nullptr,
              std::getenv("RONDO_PEERS_NEW_COUNTS") != nullptr};
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
void time_apart(World& world, const Sweep& sweep, const World::Call& call, DataInTurn& turns,
                int calls, std::vector<double>& times) {
  for (int i = 0; i < calls; ++i) {
    const Data& data = turns.next();
    if (sweep.late.count() > 0) call_late(world, sweep, call, data);
    rewrite_together(world, data, is_in_place(sweep.call));
    const auto begin = Clock::now();
    call(data);
    times.push_back(us_since(begin) / messages_in(sweep.call));
    if (!world.synchronises()) world.barrier();
  }
}

/// Calls that follow each other, as a program's do; the mean of them all.
void time_row(World& world, const Sweep& sweep, const World::Call& call, DataInTurn& turns,
              int calls, std::vector<double>& times) {
  world.barrier();
  const auto begin = Clock::now();
  for (int i = 0; i < calls; ++i) {
    const Data& data = turns.next();
    rewrite(data, is_in_place(sweep.call));
    call(data);
  }
  times.push_back(us_since(begin) / calls / messages_in(sweep.call));
}

std::vector<double> times(World& world, const Sweep& sweep, const World::Call& call,
                          DataInTurn& turns) {
  const int block = turns.next().total < 16384 && sweep.late.count() == 0 ? 50 : 3;
  std::vector<double> times;
  const auto start = Clock::now();
  do {
    if (sweep.in_a_row) {
      time_row(world, sweep, call, turns, 4 * block, times);
    } else {
      time_apart(world, sweep, call, turns, block, times);
    }
  } while (!is_over(world, start, sweep.seconds));
  world.max(times);
  std::ranges::sort(times);
  return times;
}

/// All in the same memory.
DataInTurn turns_of(World& world, const Sweep& sweep, std::size_t bytes) {
  std::vector<Data> all = sweep.new_counts
                              ? data_of_new_counts(sweep.call, bytes, world.size(), world.rank())
                              : std::vector{data_of(sweep.call, bytes, world.size(), world.rank())};
  float* const input = world.allocate(all.back().total);
  float* const output = world.allocate(all.back().total);
  for (Data& data : all) {
    data.input = input;
    data.output = output;
  }
  return DataInTurn(std::move(all));
}

void warm_up(World& world, const Sweep& sweep, const World::Call& call, DataInTurn& turns) {
  const int calls = world.synchronises() ? 4 : 40;
  for (int i = 0; i < calls; ++i) {
    const Data& data = turns.next();
    rewrite(data, false);
    if (!world.synchronises()) rewrite_together(world, data, is_in_place(sweep.call));
    call(data);
    if (!world.synchronises()) world.barrier();
  }
}

/// All of them; of long ones, which take long to look at, the first, the middle and the last.
void check_turns(World& world, const Sweep& sweep, const World::Call& call, DataInTurn& turns) {
  constexpr std::size_t kLong = 65536;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const Data& data = turns.next();
    const bool is_looked_at = i == 0 || i == turns.size() / 2 || i + 1 == turns.size();
    if (data.total < kLong || is_looked_at) check(world, sweep.call, call, data);
  }
}

void measure(World& world, const Sweep& sweep, std::size_t bytes) {
  const World::Call call = world.call(sweep.call);
  if (!call) return;
  DataInTurn turns = turns_of(world, sweep, bytes);
  if (world.synchronises()) check_turns(world, sweep, call, turns);
  warm_up(world, sweep, call, turns);
  const std::vector<double> sorted = times(world, sweep, call, turns);
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
