// Speed of the reduce kernels by element, op, number of sources and size, and of the wire formats'
// codecs. Run one group with --benchmark_filter=f32/sum, or =wire. "bytes_per_second" counts every
// source and every target once: the memory traffic, to be compared with what the machine's memory
// can do; of codecs the f32 bytes alone, once.

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/kernels/error_feedback.h"
#include "collectives/kernels/instruction_set.h"
#include "collectives/kernels/reduce.h"
#include "collectives/kernels/wire_format.h"
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

enum class Coding : std::uint8_t { kEncode, kDecode, kFeedback };

void run_codec(benchmark::State& state, rondo::kernels::WireFormat format, Coding coding,
               std::size_t count) {
  const rondo::kernels::WireCodec codec = rondo::kernels::wire_codec(format);
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 0.37F * static_cast<float>(i % 101) - 17;
  std::vector<float> residual(count, 0);
  std::vector<std::byte> codes(rondo::kernels::wire_bytes(format, count));
  codec.encode(values.data(), count, codes.data());
  for ([[maybe_unused]] const auto& iteration : state) {
    switch (coding) {
      case Coding::kEncode: codec.encode(values.data(), count, codes.data()); break;
      case Coding::kDecode: codec.decode(codes.data(), count, values.data()); break;
      case Coding::kFeedback:
        rondo::kernels::encode_and_round(codec, values.data(), count, residual.data(),
                                         codes.data());
        break;
    }
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(count * sizeof(float)));
  state.SetLabel(to_string(rondo::kernels::instruction_set()));
}

void add_codecs(rondo::kernels::WireFormat format) {
  constexpr std::array kCodings = {Coding::kEncode, Coding::kDecode, Coding::kFeedback};
  constexpr std::array kNames = {"encode", "decode", "encode and round, with feedback"};
  for (std::size_t i = 0; i < kCodings.size(); ++i) {
    for (const std::size_t bytes : {8UL << 10, 256UL << 10, 32UL << 20}) {
      const std::string name = "wire/" + std::string(to_string(format)) + "/" + kNames[i] + "/" +
                               std::to_string(bytes) + " B";
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        run_codec(state, format, kCodings[i], bytes / sizeof(float));
      });
    }
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
  using rondo::kernels::WireFormat;
  for (const WireFormat format : {WireFormat::kBf16, WireFormat::kF16, WireFormat::kF8E4M3,
                                  WireFormat::kF8E5M2, WireFormat::kInt8}) {
    add_codecs(format);
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
