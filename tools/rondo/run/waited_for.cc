#include "tools/rondo/run/waited_for.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tools/rondo/run/shutdown.h"

namespace rondo::tool {
namespace {

constexpr std::size_t kNamedRanks = 8;

}  // namespace

std::string describe_waiting(int number, const std::vector<WaitedFor>& ranks) {
  const std::string name = fmt::format("SIG{}", sigabbrev_np(number));
  std::string text = fmt::format("{} s after {} still waiting for ", kPatience.count(), name);
  const std::size_t named = std::min(ranks.size(), kNamedRanks);
  for (std::size_t i = 0; i < named; ++i) {
    const char* separator = i == 0 ? "" : ", ";
    text += fmt::format("{}rank {} (pid {})", separator, ranks[i].rank, ranks[i].pid);
  }
  if (named < ranks.size()) text += fmt::format(" and {} more", ranks.size() - named);
  return text + fmt::format("; another {} kills {}", name, ranks.size() == 1 ? "it" : "them");
}

}  // namespace rondo::tool
