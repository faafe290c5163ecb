#include "tools/rondo/bench/recorded.h"

#include <limits>

#include "tools/rondo/bench/input_file.h"

namespace rondo::tool {
namespace {

/// What a measurement can have.
constexpr double kHighest = 1e15;

Recorded recorded_result(json::Value value) {
  constexpr int kMostRanks = std::numeric_limits<int>::max();
  Recorded result;
  result.collective = value.need("collective").name();
  result.bytes = static_cast<std::uint64_t>(
      value.need("bytes").integer(0, 0, std::numeric_limits<std::int64_t>::max()));
  result.type = value.need("type").name();
  result.redop = value.need("redop").name();
  result.root = static_cast<int>(value.at("root").integer(-1, -1, kMostRanks));
  result.ranks = static_cast<int>(value.at("ranks").integer(1, 1, kMostRanks));
  result.transport = value.need("transport").name();
  result.algorithm = value.at("algorithm").name("none");
  result.wire_format = value.at("wire_format").name("none");
  result.buffers = value.need("buffers").name();
  result.library = value.at("library").name("rondo");
  result.time_of = value.at("time_of").name(to_string(TimeOf::kSlowestRank));
  result.calls = static_cast<int>(value.at("calls_together").integer(1, 1, kMostRanks));
  result.in_place = value.need("in_place").flag(false);
  result.predicted_us = value.at("predicted_us").number(0, 0, kHighest);
  result.p50_us = value.need("p50_us").number(0, 0, kHighest);
  result.busbw_gbps = value.need("busbw_gbps").number(0, 0, kHighest);
  return result;
}

}  // namespace

RecordedFile recorded_from(const std::string& path, std::string_view text) {
  RecordedFile file{path, {}, {}};
  read_json(path, text, [&file](json::Value root) {
    for (auto& [name, value] : root.need("environment").members()) {
      if (value.is_string()) file.environment.emplace_back(one_line(name), one_line(value.text()));
    }
    for (json::Value result : root.need("results").items())
      file.results.push_back(recorded_result(std::move(result)));
  });
  return file;
}

RecordedFile read_recorded(const std::string& path) {
  return recorded_from(path, read_input(path));
}

RecordedFile read_baseline(const std::string& path) {
  return read_named_by("--baseline", [&path] { return read_recorded(path); });
}

}  // namespace rondo::tool
