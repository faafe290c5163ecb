#include "transport/mesh/core_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace rondo::transport {

std::string encode_cores(std::span<const int> cores) {
  return fmt::format("{}", fmt::join(cores, ","));
}

Result<std::vector<int>> decode_cores(std::string_view text) {
  const Status damaged(ErrorCode::kDataLoss,
                       fmt::format("'{}' in the rendezvous store is no list of cores; do all ranks "
                                   "run the same version of Rondo?",
                                   text));
  std::vector<int> cores;
  const char* next = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    int core = -1;
    const auto [stopped, error] = std::from_chars(next, end, core);
    if (error != std::errc() || core < 0) return damaged;
    cores.push_back(core);
    if (stopped == end) return cores;
    if (*stopped != ',') return damaged;
    next = stopped + 1;
  }
}

}  // namespace rondo::transport
