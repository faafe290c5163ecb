#include "collectives/communicator/device_abilities.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace rondo::communicator {
namespace {

using transport::PlaceNote;
using transport::RankInfo;

/// What some ranks' devices can do and the first one's can't, or the other way round.
class Difference {
 public:
  explicit Difference(const PlaceNote& first) : first_(first) {}

  void compare(std::size_t rank, const PlaceNote& place) {
    const bool kernels = place.reductions != first_.reductions;
    const bool sharing = place.shares_between_processes != first_.shares_between_processes ||
                         place.imports_own != first_.imports_own;
    const bool host_memory = place.sees_host_memory != first_.sees_host_memory;
    if (kernels || sharing || host_memory) ranks_.push_back(rank);
    in_kernels_ = in_kernels_ || kernels;
    in_sharing_ = in_sharing_ || sharing;
    in_host_memory_ = in_host_memory_ || host_memory;
  }
  std::string text() const {
    if (ranks_.empty()) return {};
    std::vector<std::string_view> what;
    if (in_kernels_) what.emplace_back("reduce kernels");
    if (in_sharing_) what.emplace_back("sharing between processes");
    if (in_host_memory_) what.emplace_back("page-locked memory");
    return fmt::format(
        "the devices of kind {} of {} can do other things than rank 0's ({}): what one of them "
        "can't, all ranks do another way; install one version of the plug-in on all hosts",
        first_.kind, text_of_ranks(ranks_), fmt::join(what, ", "));
  }

 private:
  const PlaceNote& first_;
  std::vector<std::size_t> ranks_;
  bool in_kernels_ = false;
  bool in_sharing_ = false;
  bool in_host_memory_ = false;
};

}  // namespace

DeviceAbilities common_abilities(std::span<const RankInfo> ranks) {
  DeviceAbilities common{.reductions = ranks.front().place.reductions};
  for (const RankInfo& rank : ranks) {
    const PlaceNote& place = rank.place;
    common.sees_host_memory = common.sees_host_memory && place.sees_host_memory;
    common.shares_between_processes =
        common.shares_between_processes && place.shares_between_processes;
    common.imports_own = common.imports_own && place.imports_own;
    common.reductions.keep_those_of(place.reductions);
  }
  return common;
}

std::string differing_abilities(std::span<const RankInfo> ranks) {
  const PlaceNote& first = ranks.front().place;
  Difference difference(first);
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    const PlaceNote& place = ranks[rank].place;
    if (place.kind != first.kind) return {};
    difference.compare(rank, place);
  }
  return difference.text();
}

std::string text_of_ranks(const std::vector<std::size_t>& ranks) {
  constexpr std::size_t kMostNamed = 8;
  const std::span named = std::span(ranks).first(std::min(ranks.size(), kMostNamed));
  std::string text = fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(named, ", "));
  if (named.size() < ranks.size()) text += fmt::format(" and {} more", ranks.size() - named.size());
  return text;
}

}  // namespace rondo::communicator
