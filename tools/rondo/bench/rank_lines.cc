#include "tools/rondo/bench/rank_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace rondo::tool {
namespace {

constexpr std::size_t kLineBytes = 192;
constexpr std::size_t kMostHostBytes = 64;
constexpr std::size_t kMostKindBytes = 24;

/// Zeros stand behind the line.
std::array<char, kLineBytes> own_line(const Communicator& communicator) {
  std::array<char, kMostHostBytes + 1> host{};
  gethostname(host.data(), kMostHostBytes);
  const Device device = communicator.device();
  const std::string kind = std::string(to_string(device.kind)).substr(0, kMostKindBytes);
  const std::string line =
      fmt::format("#  Rank {:>2} Group  0 Pid {:>6} on {:>10} device {:>2} [{}] {}",
                  communicator.rank(), getpid(), host.data(), device.index, kind, kind);
  std::array<char, kLineBytes> bytes{};
  std::ranges::copy(std::string_view(line).substr(0, kLineBytes - 1), bytes.begin());
  return bytes;
}

}  // namespace

std::string rank_lines(Communicator& communicator) {
  const std::array<char, kLineBytes> own = own_line(communicator);
  std::vector<std::array<char, kLineBytes>> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather({own.data(), kLineBytes, DataType::kI8},
                          {all.data(), kLineBytes * all.size(), DataType::kI8});
  std::string lines;
  for (const std::array<char, kLineBytes>& line : all) lines += fmt::format("{}\n", line.data());
  return lines;
}

}  // namespace rondo::tool
