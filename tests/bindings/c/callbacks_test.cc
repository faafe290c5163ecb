// Functions of a program that fail at random, by an answer or by what they throw: its allocator,
// its all-gather, its reduction, those that are told of a call's end, and those that watch. Three
// processes meet, make calls until one fails, and meet again: nothing ends them, nothing waits for
// ever, and each error is one line. RONDO_TEST_FUZZ_SECONDS: for so long (20 worlds otherwise).
// RONDO_TEST_FUZZ_SEED: as in an earlier run, which has said it.

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

extern "C" {
#include "board.h"
#include "check.h"
}

namespace {

using std::chrono::steady_clock;

constexpr int kLeastWorlds = 20;
/// Longer than a world takes whose ranks wait for one that can't come.
constexpr std::chrono::seconds kLongWorld{20};

std::uint32_t seed = 0;
std::atomic<std::uint64_t> draws = 0;
std::atomic<int> failures = 0;

/// Any thread may be told something. Steele, Lea and Flood's SplitMix.
std::uint64_t draw() {
  std::uint64_t number = draws.fetch_add(0x9E3779B97F4A7C15);
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
  number = (number ^ number >> 27) * 0x94D049BB133111EB;
  return number ^ number >> 31;
}

bool once_in(std::uint64_t times) {
  if (draw() % times != 0) return false;
  ++failures;
  return true;
}

[[noreturn]] void fail() {
  if (draw() % 2 == 0) throw 7;
  throw std::runtime_error("a program's own exception");
}

void* take(void* /*context*/, rondo_device /*device*/, size_t bytes) {
  if (once_in(8)) return nullptr;
  if (once_in(8)) fail();
  const size_t whole = (bytes + RONDO_MEMORY_ALIGNMENT - 1) / RONDO_MEMORY_ALIGNMENT;
  return std::aligned_alloc(RONDO_MEMORY_ALIGNMENT, whole * RONDO_MEMORY_ALIGNMENT);
}

void put(void* /*context*/, rondo_device /*device*/, void* memory, size_t /*bytes*/) {
  std::free(memory);
  if (once_in(3)) fail();
}

/// Whatever it answers, the others have its block: nobody is left in it.
int gather(void* context, const void* mine, void* all, size_t bytes) {
  CHECK(gather_on_board(context, mine, all, bytes) == 0);
  if (once_in(24)) fail();
  return once_in(24) ? 5 : 0;
}

void combine(void* left, const void* right, size_t count, uint8_t /*type*/, void* /*context*/) {
  if (once_in(60)) fail();
  for (size_t i = 0; i < count; ++i)
    static_cast<float*>(left)[i] += static_cast<const float*>(right)[i];
}

void log(void* /*context*/, rondo_log_level /*level*/, const char* line) {
  CHECK(line[0] != '\0' && strchr(line, '\n') == nullptr);
  if (once_in(3)) fail();
}

void trace(void* /*context*/, const rondo_traced_call* call) {
  CHECK(call->took_us >= 0);
  if (once_in(3)) fail();
}

struct Told {
  std::atomic<int> times = 0;
  std::atomic<bool> well = false;
  std::atomic<bool> failed = false;
};

void done(void* context, const rondo_error* error) {
  Told& told = *static_cast<Told*>(context);
  ++told.times;
  told.well = error == nullptr;
  if (!once_in(4)) return;
  told.failed = true;
  fail();
}

bool went_well(rondo_status status) {
  if (status == RONDO_OK) return true;
  const char* const message = rondo_last_error()->message;
  CHECK(message[0] != '\0' && strchr(message, '\n') == nullptr);
  return false;
}

/// What every element is where all went well.
bool sums(rondo_communicator* c, size_t count, bool custom) {
  std::vector<float> data(count);
  for (size_t i = 0; i < count; ++i) data[i] = given(rondo_rank(c), i);
  rondo_call call = RONDO_CALL_INIT;
  call.kind = RONDO_ALL_REDUCE;
  call.op = custom ? RONDO_CUSTOM : RONDO_SUM;
  call.function = custom ? combine : nullptr;
  call.input = call.output = data.data();
  call.input_count = call.output_count = count;
  if (!went_well(rondo_run(c, &call))) return false;
  for (size_t i = 0; i < count; ++i) {
    double expected = 0;
    for (int rank = 0; rank < kProcesses; ++rank) expected += given(rank, i);
    CHECK(near(data[i], expected));
  }
  return true;
}

/// The first is kept until it is asked for.
bool exchanges(rondo_communicator* c) {
  std::vector<float> first(5000, 0.25F);
  float second = 0.75F;
  const auto pass = [&](float* data, size_t count, int tag) {
    return went_well(rondo_rank(c) == 0 ? rondo_send(c, data, count, RONDO_F32, 1, tag)
                                        : rondo_receive(c, data, count, RONDO_F32, 0, tag));
  };
  switch (rondo_rank(c)) {
    case 0: return pass(first.data(), first.size(), 1) && pass(&second, 1, 2);
    case 1: return pass(&second, 1, 2) && pass(first.data(), first.size(), 1);
    default: return true;
  }
}

/// Three at once. A function that fails spoils its own call's answer and nothing else: what was
/// summed is right, and the world goes on.
bool starts(rondo_communicator* c) {
  constexpr size_t kCount = 700;
  constexpr size_t kCalls = 3;
  std::array<std::array<float, kCount>, kCalls> data{};
  std::array<Told, kCalls> told;
  std::array<rondo_work*, kCalls> works{};
  rondo_call call = RONDO_CALL_INIT;
  call.kind = RONDO_ALL_REDUCE;
  call.input_count = call.output_count = kCount;
  size_t started = 0;
  for (; started < kCalls; ++started) {
    for (size_t i = 0; i < kCount; ++i) data[started][i] = given(rondo_rank(c), i + started);
    call.input = call.output = data[started].data();
    if (!went_well(rondo_start(c, &call, &works[started]))) break;
    OK(rondo_work_then(works[started], done, &told[started]));
  }
  bool well = started == kCalls;
  for (size_t i = 0; i < started; ++i) {
    const bool answer = went_well(rondo_work_wait(works[i]));
    CHECK(told[i].times == 1);
    CHECK(answer == (told[i].well && !told[i].failed));
    OK(rondo_work_release(works[i]));
    well = well && told[i].well;
  }
  for (size_t i = 0; well && i < kCalls * kCount; ++i) {
    double expected = 0;
    for (int rank = 0; rank < kProcesses; ++rank) expected += given(rank, i % kCount + i / kCount);
    CHECK(near(data[i / kCount][i % kCount], expected));
  }
  return well;
}

void make_calls(rondo_communicator* c) {
  OK(rondo_set_trace(c, trace, nullptr));
  for (int call = 0; call < 6; ++call) {
    if (!sums(c, 3000, true) || !exchanges(c) || !starts(c) || !sums(c, 70'000, false)) return;
  }
}

void one_world(int process, std::uint32_t world) {
  const char* const algorithms[] = {"auto", "direct", "recursive_doubling", "ring"};
  rondo_config config = RONDO_CONFIG_INIT;
  config.network_interface = "lo";
  config.join_timeout_ms = 500;
  config.timeout_ms = 3000;
  config.transport = world % 2 == 0 ? "tcp" : "auto";
  config.algorithm = algorithms[world / 2 % 4];
  config.progress = world / 8 % 2 == 0 ? "thread" : "caller";
  const auto begun = steady_clock::now();
  rondo_communicator* c = nullptr;
  if (went_well(rondo_create_by_all_gather(gather, &process, process, kProcesses, &config, &c)))
    make_calls(c);
  OK(rondo_destroy(c));
  CHECK(steady_clock::now() - begun < kLongWorld);
}

/// Process 0 says whether there is to be another.
bool go_on(int process, int worlds, steady_clock::time_point end) {
  const int own = worlds < kLeastWorlds || steady_clock::now() < end ? 1 : 0;
  std::array<int, kProcesses> all{};
  CHECK(gather_on_board(&process, &own, all.data(), sizeof own) == 0);
  return all[0] == 1;
}

void run(int process) {
  const char* const seconds = std::getenv("RONDO_TEST_FUZZ_SECONDS");
  const int wanted = seconds == nullptr ? 0 : std::atoi(seconds);
  const auto end = steady_clock::now() + std::chrono::seconds(wanted);
  alarm(static_cast<unsigned>(wanted) + 80);  // of what would wait for ever
  OK(rondo_set_log(log, nullptr, RONDO_LOG_TRACE));
  int worlds = 0;
  for (; go_on(process, worlds, end); ++worlds) {
    const std::uint32_t world = seed + static_cast<std::uint32_t>(worlds);
    draws = (std::uint64_t{world} << 8) + static_cast<std::uint64_t>(process);
    OK(rondo_set_allocator(take, put, nullptr));
    one_world(process, world);
    OK(rondo_set_allocator(nullptr, nullptr, nullptr));
  }
  CHECK(failures > worlds);
}

}  // namespace

int main() {
  const char* const given_seed = std::getenv("RONDO_TEST_FUZZ_SEED");
  seed = given_seed == nullptr ? std::random_device{}()
                               : static_cast<std::uint32_t>(std::strtoul(given_seed, nullptr, 10));
  std::printf("RONDO_TEST_FUZZ_SEED=%u repeats these worlds\n", static_cast<unsigned>(seed));
  std::fflush(stdout);
  return in_processes(run);
}
