#include "tools/rondo/bench/recorded.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tools/rondo/bench/json_fields.h"
#include "tools/rondo/bench/json_input.h"

namespace rondo::tool {
namespace {

using nlohmann::json;

Recorded recorded_result(const JsonFields& fields) {
  constexpr int kMostRanks = std::numeric_limits<int>::max();
  Recorded result;
  result.collective = fields.text("collective");
  result.bytes = fields.whole("bytes");
  result.type = fields.text("type");
  result.redop = fields.text("redop");
  result.root = fields.small("root", -1, kMostRanks);
  result.ranks = fields.small("ranks", 1, kMostRanks);
  result.transport = fields.text("transport");
  result.wire_format = fields.text("wire_format", "none");
  result.buffers = fields.text("buffers");
  result.library = fields.text("library", "rondo");
  result.in_place = fields.flag("in_place");
  result.p50_us = fields.measured("p50_us");
  result.busbw_gbps = fields.measured("busbw_gbps");
  return result;
}

}  // namespace

RecordedFile recorded_from(const std::string& path, const json& whole) {
  RecordedFile file{path, {}, {}};
  const auto member = [&](const char* name) -> const json& {
    if (whole.is_object() && whole.contains(name)) return whole[name];
    throw FileError(
        fmt::format("{} isn't what `rondo bench --json` writes: it has no '{}'", path, name));
  };
  const json& environment = member("environment");
  const JsonFields facts(fmt::format("{}: environment", path), environment);
  for (const auto& [name, value] : environment.items()) {
    if (value.is_string()) file.environment.emplace_back(one_line(name), one_line(value));
  }
  const json& results = member("results");
  if (!results.is_array()) throw FileError(fmt::format("{}: 'results' is no list", path));
  for (const json& result : results) {
    const std::string where = fmt::format("{}: result {}", path, file.results.size() + 1);
    file.results.push_back(recorded_result(JsonFields(where, result)));
  }
  return file;
}

RecordedFile read_recorded(const std::string& path) { return recorded_from(path, read_json(path)); }

}  // namespace rondo::tool
