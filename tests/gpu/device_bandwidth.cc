// How fast a CUDA device's reduce kernels move memory, beside its own copies: JSON, a line each.
//   device_bandwidth [MIB [ROUNDS]]     of each buffer (1024, 20)
// GB/s counts bytes read and written. Medians of the rounds; each is timed on the host around
// `kRepeats` launches, so that a launch's own time doesn't count.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "collectives/kernels/device_reduce.h"
#include "core/device/driver.h"

namespace {

using namespace rondo;

constexpr Device kDevice{DeviceKind::kCuda, 0};
constexpr int kRepeats = 10;
constexpr std::array kTypes = {DataType::kF32, DataType::kF64, DataType::kF16, DataType::kBF16,
                               DataType::kI8,  DataType::kU8,  DataType::kI32, DataType::kU32,
                               DataType::kI64, DataType::kU64};
/// Bitwise ones have kernels of integers alone.
constexpr std::array kOps = {ReduceOp::kSum,   ReduceOp::kProd,  ReduceOp::kMin,
                             ReduceOp::kMax,   ReduceOp::kAvg,   ReduceOp::kBitAnd,
                             ReduceOp::kBitOr, ReduceOp::kBitXor};

struct Setup {
  std::size_t bytes = 0;
  int rounds = 0;
};

template <class Work>
double gigabytes_per_second(Stream& stream, const Setup& setup, std::size_t moved,
                            const Work& work) {
  std::vector<double> rates;
  work();
  stream.synchronize();
  for (int round = 0; round < setup.rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kRepeats; ++i) work();
    stream.synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    rates.push_back(static_cast<double>(moved) * kRepeats / taken.count() / 1e9);
  }
  std::ranges::sort(rates);
  return rates[rates.size() / 2];
}

void measure_kernel(Stream& stream, const Setup& setup, DataType type, ReduceOp op,
                    const std::vector<DeviceMemory>& memory, double copy) {
  const auto kernel = value_or_throw(kernels::find_device_reduce_kernel(kDevice.kind, type, op));
  std::vector<const void*> sources;
  for (std::size_t i = 0; i + 1 < memory.size(); ++i) sources.push_back(memory[i].data());
  void* target = memory.back().data();
  const double rate = gigabytes_per_second(stream, setup, setup.bytes * memory.size(), [&] {
    throw_if_error(kernel(
        detail::DeviceAccess::stream(stream),
        {.sources = sources, .targets = {&target, 1}, .count = setup.bytes / size_of(type)}));
  });
  std::printf(
      "{\"kernel\": \"%s of %s\", \"sources\": %zu, \"gb_per_s\": %.3f, "
      "\"of_copy\": %.3f}\n",
      to_string(op), to_string(type), sources.size(), rate, rate / copy);
  std::fflush(stdout);
}

void measure(const Setup& setup) {
  Stream stream(kDevice);
  std::vector<DeviceMemory> memory;
  for (int i = 0; i < 3; ++i) memory.emplace_back(kDevice, setup.bytes);
  const double copy = gigabytes_per_second(stream, setup, 2 * setup.bytes, [&] {
    stream.copy(memory[1].data(), memory[0].data(), setup.bytes);
  });
  std::printf("{\"copy\": \"device to device\", \"bytes\": %zu, \"gb_per_s\": %.3f}\n", setup.bytes,
              copy);
  for (const DataType type : kTypes) {
    for (const ReduceOp op : kOps) {
      if (kernels::find_device_reduce_kernel(kDevice.kind, type, op).ok())
        measure_kernel(stream, setup, type, op, memory, copy);
    }
  }
  for (int i = 0; i < 6; ++i) memory.emplace_back(kDevice, setup.bytes);
  measure_kernel(stream, setup, DataType::kF32, ReduceOp::kSum, memory, copy);
  measure_kernel(stream, setup, DataType::kBF16, ReduceOp::kSum, memory, copy);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto mebibytes = static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 1024);
    measure({.bytes = mebibytes << 20, .rounds = argc > 2 ? std::atoi(argv[2]) : 20});
  } catch (const Error& error) {
    std::fprintf(stderr, "device_bandwidth: %s\n", error.what());
    return 1;
  }
}
