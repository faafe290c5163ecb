#include "tests/gpu/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace rondo::gpu {
namespace {

using nlohmann::json;

/// What the call of a table that takes longest takes, of those with the largest buffers.
struct Longest {
  double us = 0;
  double bytes = 0;
  double ranks = 0;
};

Longest longest_of(const json& table) {
  Longest longest;
  for (const json& row : table.at("results")) {
    const double bytes = row.at("bytes");
    if (bytes < longest.bytes) continue;
    if (bytes > longest.bytes) longest = {.bytes = bytes, .ranks = row.at("ranks")};
    longest.us = std::max(longest.us, row.at("p50_us").get<double>());
  }
  if (longest.us <= 0) throw std::runtime_error("a table has no results");
  return longest;
}

std::string text_of(double bytes) {
  constexpr double kMebibyte = 1 << 20;
  return bytes >= kMebibyte ? fmt::format("{:g} MiB", bytes / kMebibyte)
                            : fmt::format("{:g} KiB", bytes / 1024);
}

}  // namespace

Speeds read_speeds(std::string_view lines) {
  Speeds speeds;
  std::istringstream stream{std::string(lines)};
  for (std::string line; std::getline(stream, line);) {
    const json entry = json::parse(line);
    if (entry.contains("copy")) {
      speeds.copy_gb_per_s = entry.at("gb_per_s");
      continue;
    }
    speeds.kernels.push_back({fmt::format("{}, {} sources", entry.at("kernel").get<std::string>(),
                                          entry.at("sources").get<int>()),
                              entry.at("of_copy")});
  }
  if (speeds.copy_gb_per_s <= 0 || speeds.kernels.empty())
    throw std::runtime_error("the speed of a copy, or of all kernels, is missing");
  return speeds;
}

Verdict judge_kernels(const Speeds& speeds) {
  const auto slowest = std::ranges::min_element(speeds.kernels, {}, &Speeds::Kernel::of_copy);
  return {.goal = "reduce kernels",
          .of = slowest->name,
          .value = slowest->of_copy,
          .limit = kLeastOfCopy,
          .at_least = true};
}

Verdict judge_table(const Speeds& speeds, const std::string& ranks, const Table& table,
                    double limit) {
  const Longest longest = longest_of(table.json);
  // All are read and all are written; a copy's speed counts both.
  const double copies_us = 2 * longest.ranks * longest.bytes / (speeds.copy_gb_per_s * 1e3);
  return {.goal = fmt::format("{:g} {}, {}", longest.ranks, ranks, text_of(longest.bytes)),
          .of = table.way,
          .value = longest.us / copies_us,
          .limit = limit};
}

std::string line_of(const Verdict& verdict) {
  const char* const outcome = !verdict.judged ? "told" : verdict.met() ? "met" : "NOT met";
  const char* const what =
      verdict.at_least ? "of the speed of a copy" : "times what copies of all bytes take";
  return fmt::format("{:<28} {:<7} {:.2f} {} ({}); the goal is {:g} at {}", verdict.goal, outcome,
                     verdict.value, what, verdict.of, verdict.limit,
                     verdict.at_least ? "least" : "most");
}

json json_of(const Speeds& speeds, const std::vector<Verdict>& verdicts) {
  json list = json::array();
  for (const Verdict& verdict : verdicts) {
    list.push_back({{"goal", verdict.goal},
                    {"of", verdict.of},
                    {"value", verdict.value},
                    {"limit", verdict.limit},
                    {"at_least", verdict.at_least},
                    {"judged", verdict.judged},
                    {"met", verdict.met()}});
  }
  return {{"copy_gb_per_s", speeds.copy_gb_per_s},
          {"verdicts", std::move(list)},
          {"met", all_met(verdicts)}};
}

bool all_met(const std::vector<Verdict>& verdicts) {
  return std::ranges::all_of(verdicts, [](const Verdict& v) { return !v.judged || v.met(); });
}

}  // namespace rondo::gpu
