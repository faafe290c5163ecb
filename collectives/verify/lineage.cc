#include "collectives/verify/lineage.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace rondo::verify {
namespace {

/// Of counts: a value that is doubled in each of many sweeps isn't counted any further.
std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = 9;
  return std::min(a + b, kMost);
}

}  // namespace

using schedule::Rank;

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
  const Node* last = nullptr;
  for (const auto& [input, times] : contributors(uses_in(id))) {
    const Node& node = nodes_[input];
    for (std::uint64_t i = 0; i < times; ++i) {
      if (last == nullptr || last->row != node.row) {
        text += fmt::format("{}row {} of ranks {{{}", last == nullptr ? "" : "}, ", node.row,
                            node.rank);
      } else {
        text += fmt::format(", {}", node.rank);
      }
      last = &node;
    }
  }
  return last == nullptr ? "nothing" : text + "}";
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

std::optional<Fault> Lineage::repeated(Id input, const std::vector<std::uint64_t>& uses) const {
  const std::vector<std::uint64_t> copies = copies_of(input, uses);
  const auto twice = std::ranges::find_if(copies, [](std::uint64_t times) { return times > 1; });
  if (twice == copies.end()) return std::nullopt;
  const Node& node = nodes_[static_cast<std::size_t>(twice - copies.begin())];
  return Fault{node.maker, fmt::format("adds row {} of rank {} a second time", nodes_[input].row,
                                       nodes_[input].rank)};
}

std::optional<Fault> Lineage::omitted(Rank missing, const std::vector<std::uint64_t>& uses) const {
  for (Id node = 1; node < uses.size(); ++node) {
    const Node& own = nodes_[node];
    if (uses[node] == 0 || own.rank != missing || own.source_count == 0) continue;
    return Fault{own.maker, fmt::format("takes what comes without adding row {} of rank {}",
                                        own.row, missing)};
  }
  return std::nullopt;
}

std::optional<Fault> Lineage::fault(Id id, std::span<const Rank> right) const {
  const std::vector<std::uint64_t> uses = uses_in(id);
  std::vector<Rank> missing(right.begin(), right.end());
  for (const auto& [input, times] : contributors(uses)) {
    if (times > 1) return repeated(input, uses);
    std::erase(missing, nodes_[input].rank);
  }
  for (const Rank rank : missing) {
    if (std::optional<Fault> fault = omitted(rank, uses)) return fault;
  }
  return std::nullopt;
}

}  // namespace rondo::verify
