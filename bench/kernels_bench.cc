// Speed of the reduce kernels by element, op, number of sources and size.
// Run one group with --benchmark_filter=f32/sum. "bytes_per_second" counts every source and every
// target once: the memory traffic, to be compared with what the machine's memory can do.

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/kernels/instruction_set.h"
#include "collectives/kernels/reduce.h"
#include "rondo/types.h"

namespace {

using rondo::DataType;
using rondo::ReduceOp;

struct Case {
  DataType type;
  ReduceOp op;
  std::size_t sources;
  std::size_t bytes;
};

void run_kernel(benchmark::State& state, const Case& c) {
  const auto kernel = rondo::kernels::find_reduce_kernel(rondo::DeviceKind::kHost, c.type, c.op);
  if (!kernel.ok()) return state.SkipWithError(kernel.status().to_string().c_str());
  std::vector<std::vector<std::byte>> memory(c.sources + 1,
                                             std::vector<std::byte>(c.bytes, std::byte{0}));
  std::vector<const void*> sources;
  for (std::size_t s = 0; s < c.sources; ++s) sources.push_back(memory[s].data());
  const std::array<void*, 1> targets = {memory.back().data()};
  const std::size_t count = c.bytes / size_of(c.type);
  const int divisor = c.op == ReduceOp::kAvg ? static_cast<int>(c.sources) : 1;
  for ([[maybe_unused]] const auto& iteration : state) {
    (*kernel)({sources, targets, count, divisor});
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>((c.sources + 1) * c.bytes));
  state.SetLabel(to_string(rondo::kernels::instruction_set()));
}

void add(const Case& c) {
  const std::string name = std::string(to_string(c.type)) + "/" + to_string(c.op) + "/" +
                           std::to_string(c.sources) + " sources/" + std::to_string(c.bytes) + " B";
  benchmark::RegisterBenchmark(name.c_str(),
                               [c](benchmark::State& state) { run_kernel(state, c); });
}

/// Two sources, in the first-level cache, in the second, in memory.
void add_sizes(DataType type, ReduceOp op) {
  for (const std::size_t bytes : {8UL, 8UL << 10, 256UL << 10, 32UL << 20}) {
    add({type, op, 2, bytes});
  }
}

void add_all() {
  constexpr std::array kTypes = {DataType::kF32, DataType::kF64, DataType::kF16, DataType::kBF16,
                                 DataType::kI32, DataType::kI64, DataType::kI8};
  constexpr std::array kOps = {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMin, ReduceOp::kAvg};
  for (const DataType type : kTypes) {
    for (const ReduceOp op : kOps) add_sizes(type, op);
  }
  // One kernel for all integers.
  for (const ReduceOp op : {ReduceOp::kBitAnd, ReduceOp::kBitXor}) add_sizes(DataType::kI32, op);
  for (const DataType type : {DataType::kF32, DataType::kF16, DataType::kBF16}) {
    for (const std::size_t sources : {1UL, 2UL, 3UL, 4UL, 5UL, 8UL}) {
      add({type, ReduceOp::kSum, sources, 8UL << 10});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
