#include "tools/rondo/bench/bench_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <vector>

namespace rondo::tool {
namespace {

/// Room for the largest size of any type; where that is more than there are addresses, all of them,
/// which nobody has.
std::size_t bytes_of_memory(const BenchOptions& options) {
  const std::size_t before = options.first_element * sizeof(double);
  const std::size_t most = std::numeric_limits<std::size_t>::max() - before;
  return std::min<std::size_t>(options.sizes.back(), most) + before;
}

/// By rank.
std::vector<std::uint8_t> answers_of_all(Communicator& communicator, bool answer) {
  const std::uint8_t own = answer ? 1 : 0;
  std::vector<std::uint8_t> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather({&own, 1, DataType::kU8}, {all.data(), all.size(), DataType::kU8});
  return all;
}

}  // namespace

BenchBuffers::BenchBuffers(const BenchOptions& options, Device device)
    : input(bytes_of_memory(options), options.registered, device),
      output(bytes_of_memory(options), options.registered, device) {}

std::string kind_of_buffers(const BenchOptions& options) {
  std::string kind = options.device;
  if (kind == "host") kind = options.registered ? "registered" : "malloc";
  return options.first_element > 0 ? fmt::format("{}@{}", kind, options.first_element) : kind;
}

std::optional<BenchBuffers> make_buffers(Communicator& communicator, const BenchOptions& options) {
  std::optional<BenchBuffers> buffers;
  std::string problem;
  try {
    buffers.emplace(options, communicator.device());
  } catch (const std::exception& error) {
    problem = error.what();
  }
  const std::vector<std::uint8_t> has_some = answers_of_all(communicator, buffers.has_value());
  if (std::ranges::count(has_some, 0) == 0) return buffers;
  const bool speaks = communicator.rank() == 0 || has_some.front() != 0;
  if (!buffers && speaks) fmt::print(stderr, "rondo bench: {}\n", problem);
  return std::nullopt;
}

}  // namespace rondo::tool
