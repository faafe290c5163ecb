#include "tools/rondo/bench/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace rondo::tool {
namespace {

using nlohmann::ordered_json;

/// Calls `use` for every result of the rows, out of place first.
template <class Use>
void for_each_result(const std::vector<BenchRow>& rows, const Use& use) {
  for (const BenchRow& row : rows) {
    if (row.out_of_place) use(*row.out_of_place);
    if (row.in_place) use(*row.in_place);
  }
}

std::string wrong_text(const std::optional<std::uint64_t>& wrong) {
  return wrong ? fmt::to_string(*wrong) : "N/A";
}

/// time, algbw, busbw, #wrong of one form.
std::string form_columns(const std::optional<BenchResult>& form) {
  if (!form) return fmt::format("  {:>8} {:>7} {:>7} {:>6}", "N/A", "N/A", "N/A", "N/A");
  return fmt::format("  {:>8.2f} {:>7.2f} {:>7.2f} {:>6}", form->p50_us, form->algbw_gbps(),
                     form->busbw_gbps(), wrong_text(form->wrong));
}

/// p50 and p99 of one form.
std::string spread_columns(const std::optional<BenchResult>& form) {
  if (!form) return fmt::format("  {:>8} {:>8}", "N/A", "N/A");
  return fmt::format("  {:>8.2f} {:>8.2f}", form->p50_us, form->p99_us);
}

ordered_json result_json(const BenchResult& result) {
  return {{"collective", to_string(result.collective)},
          {"bytes", result.bytes},
          {"count", result.count},
          {"type", to_string(result.type)},
          {"redop", reduces(result.collective) ? to_string(result.op) : "none"},
          {"ranks", result.ranks},
          {"transport", result.transport},
          {"algorithm", result.algorithm},
          {"wire_format", result.wire_format},
          {"buffers", result.buffers},
          {"in_place", result.in_place},
          {"p50_us", result.p50_us},
          {"p99_us", result.p99_us},
          {"algbw_gbps", result.algbw_gbps()},
          {"busbw_gbps", result.busbw_gbps()},
          {"wrong", result.wrong ? ordered_json(*result.wrong) : ordered_json(nullptr)}};
}

}  // namespace

std::string table_header() {
  // The columns up to the second #wrong are nccl-tests' own; ours follow.
  std::string lines = fmt::format("#{:>48}  {:^31}  {:^31}  {:^17}  {:>12}\n", "", "out-of-place",
                                  "in-place", "out-of-place", "in-place");
  lines +=
      fmt::format("#{:>11} {:>13} {:>7} {:>7} {:>6}", "size", "count", "type", "redop", "root");
  for (int form = 0; form < 2; ++form) {
    lines += fmt::format("  {:>8} {:>7} {:>7} {:>6}", "time", "algbw", "busbw", "#wrong");
  }
  for (int form = 0; form < 2; ++form) lines += fmt::format("  {:>8} {:>8}", "p50", "p99");
  lines += "      algorithm transport buffers\n";
  lines += fmt::format("#{:>11} {:>13} {:>7} {:>7} {:>6}", "(B)", "(elements)", "", "", "");
  for (int form = 0; form < 2; ++form) {
    lines += fmt::format("  {:>8} {:>7} {:>7} {:>6}", "(us)", "(GB/s)", "(GB/s)", "");
  }
  for (int form = 0; form < 2; ++form) lines += fmt::format("  {:>8} {:>8}", "(us)", "(us)");
  return lines + "\n";
}

std::string table_line(const BenchRow& row) {
  const BenchResult& any = row.out_of_place ? *row.out_of_place : *row.in_place;
  return fmt::format(" {:>11} {:>13} {:>7} {:>7} {:>6}{}{}{}{}  {:>13} {:>9} {}\n", any.bytes,
                     any.count, to_string(any.type),
                     reduces(any.collective) ? to_string(any.op) : "none",
                     has_root(any.collective) ? any.root : -1, form_columns(row.out_of_place),
                     form_columns(row.in_place), spread_columns(row.out_of_place),
                     spread_columns(row.in_place), any.algorithm, any.transport, any.buffers);
}

std::uint64_t total_wrong(const std::vector<BenchRow>& rows) {
  std::uint64_t wrong = 0;
  for_each_result(rows, [&](const BenchResult& result) { wrong += result.wrong.value_or(0); });
  return wrong;
}

std::string table_footer(const std::vector<BenchRow>& rows) {
  double busbw_gbps = 0;
  int forms = 0;
  for_each_result(rows, [&](const BenchResult& result) {
    busbw_gbps += result.busbw_gbps();
    ++forms;
  });
  const std::uint64_t wrong = total_wrong(rows);
  return fmt::format("# Out of bounds values : {} {}\n# Avg bus bandwidth    : {:.6g}\n#\n", wrong,
                     wrong == 0 ? "OK" : "FAILED", forms > 0 ? busbw_gbps / forms : 0);
}

nlohmann::ordered_json to_json(const Facts& environment, const std::vector<BenchRow>& rows) {
  ordered_json facts = ordered_json::object();
  for (const auto& [key, value] : environment) facts[key] = value;
  ordered_json results = ordered_json::array();
  for_each_result(rows, [&](const BenchResult& result) { results.push_back(result_json(result)); });
  return {{"environment", std::move(facts)}, {"results", std::move(results)}};
}

}  // namespace rondo::tool
