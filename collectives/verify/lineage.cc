#include "collectives/verify/lineage.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace rondo::verify {
namespace {

using schedule::Rank;

/// Of counts: a value that is doubled in each of many sweeps isn't counted any further.
std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = 9;
  return std::min(a + b, kMost);
}

/// Ascending ranks, which may repeat: "0 to 4, 6, 6, 9". No more than an error has room for.
std::string in_runs(std::span<const Rank> ranks) {
  constexpr int kMostRuns = 12;
  std::string text;
  int runs = 0;
  for (std::size_t begin = 0; begin < ranks.size(); ++runs) {
    if (runs == kMostRuns) return text + ", ...";
    std::size_t end = begin + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    // Two are no run.
    if (end - begin < 3) end = begin + 1;
    text += fmt::format("{}{}", begin == 0 ? "" : ", ", ranks[begin]);
    if (end - begin > 1) text += fmt::format(" to {}", ranks[end - 1]);
    begin = end;
  }
  return text;
}

}  // namespace

Lineage::Id Lineage::input(Rank rank, std::uint32_t row) {
  nodes_.push_back({.maker = {}, .rank = rank, .row = row});
  return static_cast<Id>(nodes_.size() - 1);
}

Lineage::Id Lineage::made(Maker maker, Rank rank, std::uint32_t row, std::span<const Id> sources) {
  nodes_.push_back({.maker = maker,
                    .rank = rank,
                    .row = row,
                    .first_source = static_cast<std::uint32_t>(sources_.size()),
                    .source_count = static_cast<std::uint32_t>(sources.size())});
  sources_.insert(sources_.end(), sources.begin(), sources.end());
  return static_cast<Id>(nodes_.size() - 1);
}

std::vector<std::uint64_t> Lineage::uses_in(Id id) const {
  std::vector<std::uint64_t> uses(id + 1, 0);
  uses[id] = 1;
  // A node's sources are older than it.
  for (Id node = id; node > 0; --node) {
    if (uses[node] == 0) continue;
    for (const Id source : sources(nodes_[node])) {
      uses[source] = capped_sum(uses[source], uses[node]);
    }
  }
  uses[0] = 0;
  return uses;
}

Lineage::Contributors Lineage::contributors(const std::vector<std::uint64_t>& uses) const {
  Contributors inputs;
  for (Id node = 1; node < uses.size(); ++node) {
    if (uses[node] != 0 && nodes_[node].source_count == 0) inputs.emplace_back(node, uses[node]);
  }
  std::ranges::sort(inputs, {}, [this](const auto& input) {
    return std::tuple(nodes_[input.first].row, nodes_[input.first].rank);
  });
  return inputs;
}

std::string Lineage::text(Id id) const {
  std::string text;
  const Contributors inputs = contributors(uses_in(id));
  for (auto begin = inputs.begin(); begin != inputs.end();) {
    const std::uint32_t row = nodes_[begin->first].row;
    std::vector<Rank> ranks;
    for (; begin != inputs.end() && nodes_[begin->first].row == row; ++begin)
      ranks.insert(ranks.end(), begin->second, nodes_[begin->first].rank);
    text += fmt::format("{}row {} of ranks {{{}}}", text.empty() ? "" : ", ", row, in_runs(ranks));
  }
  return text.empty() ? "nothing" : text;
}

std::optional<Maker> Lineage::maker(Id id) const {
  if (nodes_[id].source_count == 0) return std::nullopt;
  return nodes_[id].maker;
}

std::vector<std::uint64_t> Lineage::copies_of(Id input,
                                              const std::vector<std::uint64_t>& uses) const {
  std::vector<std::uint64_t> copies(uses.size(), 0);
  copies[input] = 1;
  for (Id node = input + 1; node < uses.size(); ++node) {
    if (uses[node] == 0) continue;
    for (const Id source : sources(nodes_[node])) {
      copies[node] = capped_sum(copies[node], copies[source]);
    }
  }
  return copies;
}

Fault Lineage::repeated(Id input, const std::vector<std::uint64_t>& uses) const {
  const std::vector<std::uint64_t> copies = copies_of(input, uses);
  const auto twice = std::ranges::find_if(copies, [](std::uint64_t times) { return times > 1; });
  const Node& node = nodes_[static_cast<std::size_t>(twice - copies.begin())];
  return {node.maker, "the mistake is at ",
          fmt::format(": it adds row {} of rank {} a second time", nodes_[input].row,
                      nodes_[input].rank)};
}

std::optional<Fault> Lineage::omitted(const std::map<Rank, Id>& missing,
                                      const std::vector<std::uint64_t>& uses) const {
  std::vector<bool> read(nodes_.size(), false);
  for (const Id source : sources_) read[source] = true;
  for (Id node = 1; node < uses.size(); ++node) {
    const Node& own = nodes_[node];
    if (uses[node] == 0 || own.source_count == 0) continue;
    const auto input = missing.find(own.rank);
    if (input == missing.end() || read[input->second]) continue;
    return Fault{
        own.maker, "the mistake is at ",
        fmt::format(": it takes what comes without adding row {} of rank {}", own.row, own.rank)};
  }
  const auto lost =
      std::ranges::find_if(missing, [&read](const auto& input) { return read[input.second]; });
  if (lost == missing.end()) return std::nullopt;
  return lost_behind(lost->second);
}

Fault Lineage::lost_behind(Id input) const {
  const std::vector<std::uint64_t> copies =
      copies_of(input, std::vector<std::uint64_t>(nodes_.size(), 1));
  const auto last =
      std::find_if(copies.rbegin(), copies.rend(), [](std::uint64_t times) { return times > 0; });
  const auto node = static_cast<std::size_t>(copies.rend() - last) - 1;
  return {nodes_[node].maker,
          fmt::format("row {} of rank {} comes no further than ", nodes_[input].row,
                      nodes_[input].rank),
          ""};
}

std::optional<Fault> Lineage::fault(Id id, std::span<const Rank> right) const {
  const std::vector<std::uint64_t> uses = uses_in(id);
  const Contributors inputs = contributors(uses);
  const auto twice = std::ranges::find_if(inputs, [](const auto& of) { return of.second > 1; });
  if (twice != inputs.end()) return repeated(twice->first, uses);
  std::map<Rank, Id> missing;
  const std::set<Rank> wanted(right.begin(), right.end());
  for (Id node = 1; node < nodes_.size(); ++node) {
    const Node& own = nodes_[node];
    if (own.source_count == 0 && own.row == nodes_[id].row && wanted.contains(own.rank))
      missing.emplace(own.rank, node);
  }
  for (const auto& [input, times] : inputs) missing.erase(nodes_[input].rank);
  return omitted(missing, uses);
}

}  // namespace rondo::verify
