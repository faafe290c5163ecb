#include "tools/rondo/bench/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/rondo/bench/names.h"

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

/// As many columns of a form that isn't there.
std::string none(int columns, int width) {
  std::string text;
  for (int i = 0; i < columns; ++i) text += fmt::format(" {:>{}}", "N/A", width);
  return text;
}

/// What stands in nccl-tests' columns of a form. Where the collective has but one, both show it:
/// scripts expect numbers there. What doesn't run in place isn't checked in place.
BenchResult shown_result(const BenchRow& row, bool in_place) {
  const std::optional<BenchResult>& form = in_place ? row.in_place : row.out_of_place;
  if (form) return *form;
  BenchResult other = in_place ? *row.out_of_place : *row.in_place;
  if (in_place) other.wrong.reset();
  return other;
}

/// time, algbw, busbw, #wrong of one form; i_min, i_max, i_p99, i_cv% where nccl-tests has them.
std::string form_columns(const BenchResult& form, const TableStyle& style) {
  std::string text = fmt::format("  {:>8.2f} {:>7.2f} {:>7.2f} {:>6}", form.p50_us,
                                 form.algbw_gbps(), form.busbw_gbps(), wrong_text(form.wrong));
  if (!style.per_iteration) return text;
  return text + fmt::format(" {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f}", form.least_us, form.most_us,
                            form.p99_us, form.cv_percent);
}

/// p50, p99 and coefficient of variation of one form.
std::string spread_columns(const std::optional<BenchResult>& form) {
  if (!form) return " " + none(2, 8) + none(1, 6);
  return fmt::format("  {:>8.2f} {:>8.2f} {:>6.1f}", form->p50_us, form->p99_us, form->cv_percent);
}

std::string overlap_columns(const std::optional<BenchResult>& form, const TableStyle& style) {
  if (!style.overlap) return {};
  if (!form || !form->overlap) return " " + none(4, 9);
  const Overlap& overlap = *form->overlap;
  return fmt::format("  {:>9.2f} {:>9.2f} {:>9.2f} {:>9.1f}", overlap.overall_us,
                     overlap.compute_us, overlap.pure_us, overlap.percent());
}

/// Both forms of a call run by one plan.
std::string predicted_column(const BenchResult& any, const TableStyle& style) {
  if (!style.predicted) return {};
  if (any.predicted_us <= 0) return " " + none(1, 9);
  return fmt::format("  {:>9.2f}", any.predicted_us);
}

/// The two lines that name the columns of one form, and their units.
struct Heading {
  std::string names;
  std::string units;
};

Heading form_heading(const TableStyle& style) {
  Heading heading{fmt::format("  {:>8} {:>7} {:>7} {:>6}", "time", "algbw", "busbw", "#wrong"),
                  fmt::format("  {:>8} {:>7} {:>7} {:>6}", "(us)", "(GB/s)", "(GB/s)", "")};
  if (style.per_iteration) {
    heading.names += fmt::format(" {:>8} {:>8} {:>8} {:>8}", "i_min", "i_max", "i_p99", "i_cv%");
    heading.units += fmt::format(" {:>8} {:>8} {:>8} {:>8}", "(us)", "(us)", "(us)", "(%)");
  }
  return heading;
}

Heading extra_heading(const TableStyle& style) {
  Heading heading;
  for (int form = 0; form < 2; ++form) {
    heading.names += fmt::format("  {:>8} {:>8} {:>6}", "p50", "p99", "cv");
    heading.units += fmt::format("  {:>8} {:>8} {:>6}", "(us)", "(us)", "(%)");
  }
  for (int form = 0; style.overlap && form < 2; ++form) {
    heading.names +=
        fmt::format("  {:>9} {:>9} {:>9} {:>9}", "overall", "compute", "pure", "overlap");
    heading.units += fmt::format("  {:>9} {:>9} {:>9} {:>9}", "(us)", "(us)", "(us)", "(%)");
  }
  if (style.predicted) {
    heading.names += fmt::format("  {:>9}", "predicted");
    heading.units += fmt::format("  {:>9}", "(us)");
  }
  return heading;
}

/// Over the columns of both forms, and what follows them.
std::string form_titles(const TableStyle& style) {
  const int form_width = style.per_iteration ? 67 : 31;
  std::string titles =
      fmt::format("  {:^{}}  {:^{}}", "out-of-place", form_width, "in-place", form_width);
  if (style.timestamps) titles += fmt::format("  {:>19}", "");
  titles += fmt::format("  {:^24}  {:^24}", "out-of-place", "in-place");
  if (style.overlap) titles += fmt::format("  {:^39}  {:^39}", "out-of-place", "in-place");
  return titles;
}

/// What only some results have.
void add_optional(const BenchResult& result, ordered_json& json) {
  if (result.time_of != TimeOf::kSlowestRank) json["time_of"] = to_string(result.time_of);
  if (result.calls != 1) json["calls_together"] = result.calls;
  if (result.predicted_us > 0) json["predicted_us"] = result.predicted_us;
  if (result.overlap) {
    json["overlap"] = {{"overall_us", result.overlap->overall_us},
                       {"compute_us", result.overlap->compute_us},
                       {"pure_us", result.overlap->pure_us},
                       {"percent", result.overlap->percent()}};
  }
  if (!result.times_us.empty()) json["times_us"] = result.times_us;
}

ordered_json result_json(const BenchResult& result) {
  ordered_json json = {
      {"collective", to_string(result.operation)},
      {"bytes", result.bytes},
      {"count", result.count},
      {"type", to_string(result.type)},
      {"redop", reduces(result.operation) ? to_string(result.op) : "none"},
      {"root", has_root(result.operation) ? result.root : -1},
      {"ranks", result.ranks},
      {"transport", result.transport},
      {"algorithm", result.algorithm},
      {"wire_format", result.wire_format},
      {"buffers", result.buffers},
      {"in_place", result.in_place},
      {"cycle", result.cycle},
      {"p50_us", result.p50_us},
      {"p99_us", result.p99_us},
      {"mean_us", result.mean_us},
      {"min_us", result.least_us},
      {"max_us", result.most_us},
      {"cv_percent", result.cv_percent},
      {"algbw_gbps", result.algbw_gbps()},
      {"busbw_gbps", result.busbw_gbps()},
      {"wrong", result.wrong ? ordered_json(*result.wrong) : ordered_json(nullptr)}};
  add_optional(result, json);
  return json;
}

}  // namespace

std::string table_header(const TableStyle& style) {
  // The columns up to the second #wrong (and its i_cv%, and the timestamp) are nccl-tests' own;
  // ours follow.
  const Heading form = form_heading(style);
  const Heading extra = extra_heading(style);
  const std::string stamp = fmt::format("  {:>19}", style.timestamps ? "timestamp" : "");
  const std::string stamp_unit =
      fmt::format("  {:>19}", style.timestamps ? "%Y-%m-%d %H:%M:%S" : "");
  return fmt::format("#{:>49}{}\n", "", form_titles(style)) +
         fmt::format("#{:>11} {:>13} {:>8} {:>7} {:>6}{}{}{}{}  {:>13} {:>9} {}\n", "size", "count",
                     "type", "redop", "root", form.names, form.names, style.timestamps ? stamp : "",
                     extra.names, "algorithm", "transport", "buffers") +
         fmt::format("#{:>11} {:>13} {:>8} {:>7} {:>6}{}{}{}{}\n", "(B)", "(elements)", "", "", "",
                     form.units, form.units, style.timestamps ? stamp_unit : "", extra.units);
}

std::string table_line(const BenchRow& row, const TableStyle& style) {
  const BenchResult& any = row.out_of_place ? *row.out_of_place : *row.in_place;
  std::string line = fmt::format(
      " {:>11} {:>13} {:>8} {:>7} {:>6}", any.bytes, any.count, name_in_nccl_tests(any.type),
      reduces(any.operation) ? to_string(any.op) : "none", has_root(any.operation) ? any.root : -1);
  for (const bool in_place : {false, true}) {
    line += form_columns(shown_result(row, in_place), style);
  }
  if (style.timestamps) line += "  " + row.measured_at;
  for (const auto& form : {row.out_of_place, row.in_place}) line += spread_columns(form);
  for (const auto& form : {row.out_of_place, row.in_place}) line += overlap_columns(form, style);
  line += predicted_column(any, style);
  return line + fmt::format("  {:>13} {:>9} {}\n", any.algorithm, any.transport, any.buffers);
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

std::string json_text(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::vector<std::string> result_lines(const BenchRow& row) {
  std::vector<std::string> lines;
  for_each_result({row}, [&](const BenchResult& result) {
    lines.push_back(
        result_json(result).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  });
  return lines;
}

nlohmann::ordered_json to_json(const Facts& environment, const std::vector<BenchRow>& rows) {
  ordered_json facts = ordered_json::object();
  for (const auto& [key, value] : environment) facts[key] = value;
  ordered_json results = ordered_json::array();
  for_each_result(rows, [&](const BenchResult& result) { results.push_back(result_json(result)); });
  return {{"environment", std::move(facts)}, {"results", std::move(results)}};
}

}  // namespace rondo::tool
