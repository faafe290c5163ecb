// What a call costs before anything moves: making its plan again, an identity (a world of one), and
// the shortest call between two ranks of this process. `rondo bench` measures calls between
// processes.

#include <benchmark/benchmark.h>

#include <array>
#include <thread>
#include <vector>

#include "rondo/communicator.h"

namespace {

using rondo::Buffer;
using rondo::Call;
using rondo::Communicator;
using rondo::DataType;
using rondo::Device;

/// Two floats: the 8-byte call.
using Data = std::array<float, 2>;

Buffer buffer_of(Data& data) { return {data.data(), data.size(), DataType::kF32}; }

std::vector<Communicator> world_of(int ranks) {
  rondo::CommunicatorOptions options;
  options.transport = "inproc";
  return Communicator::create(std::vector<Device>(static_cast<std::size_t>(ranks), Device::host()),
                              options);
}

/// The same call with two buffers in turn: it is checked again and its plan looked up.
void plan_lookup(benchmark::State& state) {
  std::vector<Communicator> world = world_of(1);
  std::array<Data, 2> data{};
  std::size_t turn = 0;
  for ([[maybe_unused]] const auto& iteration : state) {
    world[0].all_reduce(buffer_of(data.at(turn ^= 1U)));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(plan_lookup)->Name("world of 1/plan lookup");

/// Checks and plans the call, and forgets it again.
void prepare(benchmark::State& state) {
  std::vector<Communicator> world = world_of(1);
  Data data{};
  for ([[maybe_unused]] const auto& iteration : state) {
    benchmark::DoNotOptimize(world[0].prepare(Call::all_reduce(buffer_of(data))));
  }
}
BENCHMARK(prepare)->Name("world of 1/prepare");

void identity(benchmark::State& state) {
  std::vector<Communicator> world = world_of(1);
  Data data{};
  const Buffer buffer = buffer_of(data);
  for ([[maybe_unused]] const auto& iteration : state) {
    world[0].all_reduce(buffer);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(identity)->Name("world of 1/8 B");

void prepared_identity(benchmark::State& state) {
  std::vector<Communicator> world = world_of(1);
  Data data{};
  rondo::Prepared call = world[0].prepare(Call::all_reduce(buffer_of(data)));
  for ([[maybe_unused]] const auto& iteration : state) {
    call.run();
    benchmark::ClobberMemory();
  }
}
BENCHMARK(prepared_identity)->Name("world of 1/8 B prepared");

void started_identity(benchmark::State& state) {
  std::vector<Communicator> world = world_of(1);
  Data data{};
  const Call call = Call::all_reduce(buffer_of(data));
  for ([[maybe_unused]] const auto& iteration : state) world[0].start(call).wait();
}
BENCHMARK(started_identity)->Name("world of 1/8 B started and waited for");

/// Both ranks make as many calls as the benchmark asks for; rank 0 is timed.
void two_ranks(benchmark::State& state) {
  std::vector<Communicator> world = world_of(2);
  std::array<Data, 2> data{};
  const auto calls = state.max_iterations;
  std::jthread other([&] {
    for (benchmark::IterationCount i = 0; i < calls; ++i) world[1].all_reduce(buffer_of(data[1]));
  });
  const Buffer buffer = buffer_of(data[0]);
  for ([[maybe_unused]] const auto& iteration : state) world[0].all_reduce(buffer);
}
BENCHMARK(two_ranks)->Name("world of 2/8 B")->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
