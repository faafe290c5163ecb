#include "tools/rondo/bench/peer_times.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "tools/rondo/bench/result.h"

namespace rondo::tool {
namespace {

constexpr std::string_view kOwn = "rondo";
constexpr double kOneCoreUs = 0.04;
constexpr double kNearUs = 0.2;

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

/// The five fields of a loop's line; fewer, or more, are no such line.
std::optional<std::array<std::string_view, 5>> fields_of(std::string_view line) {
  std::array<std::string_view, 5> fields;
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) return {};
    fields.at(i) = line.substr(0, comma);
    line.remove_prefix(comma + 1);
  }
  if (line.find(',') != std::string_view::npos) return {};
  fields.back() = line;
  return fields;
}

/// Who says what it is, and what; the library's own text may have commas.
std::optional<std::pair<std::string, std::string>> version_of(std::string_view line) {
  constexpr std::string_view kKind = ",library,";
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos || !line.substr(comma).starts_with(kKind)) return {};
  const std::string_view text = line.substr(comma + kKind.size());
  if (comma == 0 || text.empty()) return {};
  return std::pair(std::string(line.substr(0, comma)), std::string(text));
}

Cores cores_of(const std::map<std::string, double>& round) {
  const auto line = round.find("line");
  if (line == round.end()) return Cores::kUnknown;
  if (line->second < kOneCoreUs) return Cores::kOne;
  return line->second < kNearUs ? Cores::kNear : Cores::kFar;
}

}  // namespace

const char* to_string(Cores cores) {
  switch (cores) {
    case Cores::kUnknown: return "-";
    case Cores::kOne: return "one";
    case Cores::kNear: return "near";
    case Cores::kFar: return "far";
  }
  return "?";
}

bool is_library(std::string_view name) {
  return name != "bound" && name != "sockets" && name != "line";
}

bool PeerTimes::take(std::string_view line) {
  if (line.starts_with('#')) {
    remarks_.emplace_back(line);
    return true;
  }
  if (auto version = version_of(line)) {
    versions_.insert(std::move(*version));
    return true;
  }
  const auto fields = fields_of(line);
  if (!fields) return false;
  const auto bytes = number_of<std::uint64_t>((*fields)[2]);
  const auto median_us = number_of<double>((*fields)[3]);
  if (!bytes || !median_us || !(*median_us > 0)) return false;
  const std::string library((*fields)[0]);
  if (std::ranges::find(libraries_, library) == libraries_.end()) libraries_.push_back(library);
  std::vector<Round>& rounds = rounds_[*bytes];
  if (rounds.empty() || library == kOwn) rounds.emplace_back();
  rounds.back()[library] = *median_us;
  ++points_;
  return true;
}

std::string PeerTimes::version(const std::string& library) const {
  const auto found = versions_.find(library);
  return found == versions_.end() ? std::string() : found->second;
}

double PeerTimes::median_us(const std::string& library, std::uint64_t bytes) const {
  std::vector<double> all;
  const auto of_size = rounds_.find(bytes);
  if (of_size == rounds_.end()) return 0;
  for (const Round& round : of_size->second) {
    const auto found = round.find(library);
    if (found != round.end()) all.push_back(found->second);
  }
  return median(all);
}

std::vector<double> PeerTimes::quotients(const std::string& peer, std::uint64_t bytes) const {
  std::vector<double> all;
  const auto of_size = rounds_.find(bytes);
  if (of_size == rounds_.end()) return all;
  for (const Round& round : of_size->second) {
    const auto own = round.find(std::string(kOwn));
    const auto other = round.find(peer);
    if (own != round.end() && other != round.end()) all.push_back(other->second / own->second);
  }
  std::ranges::sort(all);
  return all;
}

std::vector<std::uint64_t> PeerTimes::sizes() const {
  std::vector<std::uint64_t> sizes;
  for (const auto& [bytes, rounds] : rounds_)
    if (!rounds.empty()) sizes.push_back(bytes);
  return sizes;
}

PeerTimes PeerTimes::where(Cores cores) const {
  PeerTimes some = *this;
  for (auto& [bytes, rounds] : some.rounds_)
    std::erase_if(rounds, [&](const Round& round) { return cores_of(round) != cores; });
  return some;
}

}  // namespace rondo::tool
