#include "tools/rondo/bench/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "tools/rondo/bench/input_file.h"
#include "tools/rondo/bench/result.h"

namespace rondo::tool {
namespace {

namespace fs = std::filesystem;

std::string last_parts(const fs::path& path, std::ptrdiff_t parts) {
  fs::path end;
  for (auto part = std::prev(path.end(), parts); part != path.end(); ++part) end /= *part;
  return end.string();
}

/// The shortest end of its path that no other file has; where there is none, all of it.
std::string name_of(const RecordedFile& file, const std::vector<RecordedFile>& files) {
  const auto length = [](const fs::path& path) { return std::distance(path.begin(), path.end()); };
  for (std::ptrdiff_t parts = 1; parts <= length(file.path); ++parts) {
    const std::string end = last_parts(file.path, parts);
    const bool is_shared = std::ranges::any_of(files, [&](const RecordedFile& other) {
      return other.path != file.path && length(other.path) >= parts &&
             last_parts(other.path, parts) == end;
    });
    if (!is_shared) return one_line(end);
  }
  return one_line(file.path);
}

/// What tells lines apart; only the parts that differ between two lines go into their labels.
using Parts = std::vector<std::string>;

Parts parts_of(const std::string& name_of_file, const Recorded& result) {
  return {name_of_file,
          result.library,
          result.collective,
          result.type,
          result.redop == "none" ? "" : result.redop,
          result.root < 0 ? "" : fmt::format("root {}", result.root),
          result.in_place ? "in place" : "out of place",
          result.transport,
          fmt::format("{} ranks", result.ranks),
          result.buffers,
          result.wire_format == "none" ? "" : result.wire_format,
          result.time_of == to_string(TimeOf::kSlowestRank) ? "" : result.time_of};
}

std::vector<bool> parts_that_differ(const std::vector<Parts>& all) {
  std::vector<bool> differ(all.front().size());
  for (std::size_t i = 0; i < differ.size(); ++i) {
    differ[i] = std::ranges::any_of(all, [&](const Parts& p) { return p[i] != all.front()[i]; });
  }
  return differ;
}

std::string label_of(const Parts& parts, const std::vector<bool>& differ) {
  std::string label;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!differ[i] || parts[i].empty()) continue;
    label += (label.empty() ? "" : ", ") + parts[i];
  }
  constexpr std::size_t kCollective = 2;
  return label.empty() ? parts[kCollective] : label;
}

/// Bandwidths by size, of each line.
using Samples = std::map<double, std::vector<double>>;
using Lines = std::vector<std::pair<Parts, Samples>>;

void add_sample(const Parts& parts, const Recorded& result, Lines& lines) {
  if (result.bytes == 0 || result.busbw_gbps < kLeastBandwidth) return;
  auto found = std::ranges::find(lines, parts, &Lines::value_type::first);
  if (found == lines.end()) found = lines.insert(lines.end(), {parts, {}});
  found->second[static_cast<double>(result.bytes)].push_back(result.busbw_gbps);
}

Lines samples_of(const std::vector<RecordedFile>& files) {
  Lines lines;
  for (const RecordedFile& file : files) {
    const std::string name = name_of(file, files);
    for (const Recorded& result : file.results) {
      add_sample(parts_of(name, result), result, lines);
      if (lines.size() <= kMostLines) continue;
      throw FileError(
          fmt::format("there are more than {} lines in these files; give fewer files, "
                      "or ones of fewer types and ops",
                      kMostLines));
    }
  }
  if (!lines.empty()) return lines;
  throw FileError(
      "there is nothing to draw: no result has a size and a bus bandwidth above 0 (a world of one "
      "rank has none, nor has a file of ratios alone)");
}

}  // namespace

std::vector<ChartLine> lines_of(const std::vector<RecordedFile>& files) {
  const Lines samples = samples_of(files);
  std::vector<Parts> all;
  for (const auto& [parts, by_size] : samples) all.push_back(parts);
  const std::vector<bool> differ = parts_that_differ(all);
  std::vector<ChartLine> lines;
  for (const auto& [parts, by_size] : samples) {
    constexpr std::size_t kLibrary = 1;
    ChartLine line{label_of(parts, differ), parts[kLibrary] == "bound", {}};
    for (const auto& [bytes, found] : by_size) line.points[bytes] = percentile(found, 0.5);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string chart_table(const std::vector<ChartLine>& lines, double bound_gbps) {
  std::set<double> sizes;
  std::string text = fmt::format("# Bus bandwidth in GB/s\n#{:>11}", "size (B)");
  for (const ChartLine& line : lines) {
    text += fmt::format("  {:>12}", line.label);
    for (const auto& [bytes, gbps] : line.points) sizes.insert(bytes);
  }
  text += '\n';
  for (const double bytes : sizes) {
    text += fmt::format(" {:>11.0f}", bytes);
    for (const ChartLine& line : lines) {
      const auto found = line.points.find(bytes);
      std::string cell = "-";
      if (found != line.points.end()) cell = fmt::format("{:.3f}", found->second);
      if (found != line.points.end() && bound_gbps > 0) {
        cell += fmt::format(" {:.0f}%", found->second / bound_gbps * 100);
      }
      text += fmt::format("  {:>{}}", cell, std::max<std::size_t>(12, line.label.size()));
    }
    text += '\n';
  }
  if (bound_gbps > 0) text += fmt::format("# Percent: of the bound, {:g} GB/s\n", bound_gbps);
  return text;
}

std::string size_text(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", bytes, kUnits.at(unit));
}

}  // namespace rondo::tool
