#include "collectives/verify/contributor_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace rondo::verify {

std::uint32_t ContributorSets::single(schedule::Rank rank, std::uint32_t row) {
  sets_.push_back({{row, rank}});
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

std::uint32_t ContributorSets::join(std::uint32_t a, std::uint32_t b) {
  std::vector<Contributor> both;
  both.reserve(sets_[a].size() + sets_[b].size());
  std::merge(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
             std::back_inserter(both));
  sets_.push_back(std::move(both));
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

std::string ContributorSets::text(std::uint32_t id) const {
  const std::vector<Contributor>& set = sets_[id];
  if (set.empty()) return "nothing";
  std::string text;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const bool new_row = i == 0 || set[i].first != set[i - 1].first;
    if (new_row) text += fmt::format("{}row {} of ranks {{", i == 0 ? "" : "}, ", set[i].first);
    text += fmt::format("{}{}", new_row ? "" : ", ", set[i].second);
  }
  return text + "}";
}

}  // namespace rondo::verify
