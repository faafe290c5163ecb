#pragma once

// Results as text: nccl-tests' table (so that its readers and scripts work), and JSON.
// Threads: any.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/rondo/bench/result.h"

namespace rondo::tool {

/// One line of the table: the same call out of place and in place, where it has these forms.
struct BenchRow {
  std::optional<BenchResult> out_of_place;
  std::optional<BenchResult> in_place;
  std::string measured_at{};  ///< "2026-11-23 16:05:00"
};

/// Which columns there are beside those that always are.
struct TableStyle {
  bool per_iteration = false;  ///< i_min, i_max, i_p99, i_cv% behind each form's #wrong
  bool timestamps = false;     ///< behind the second form's
  bool overlap = false;        ///< among ours, which come last,
  bool predicted = false;      ///< as does this one, of both forms
};

/// The '#' lines over the table. All functions return whole lines with their line ends.
std::string table_header(const TableStyle& style = {});
/// A form that isn't there has the other one's numbers in nccl-tests' columns, N/A in ours.
std::string table_line(const BenchRow& row, const TableStyle& style = {});
std::string table_footer(const std::vector<BenchRow>& rows);

/// Wrong elements of all rows.
std::uint64_t total_wrong(const std::vector<BenchRow>& rows);

using Facts = std::vector<std::pair<std::string, std::string>>;

/// As a file's text; what is no UTF-8 (a variable may hold anything) is replaced.
std::string json_text(const nlohmann::ordered_json& json);

/// Each of the row's results as an element of that list, on a line without its end.
std::vector<std::string> result_lines(const BenchRow& row);

/// {"environment": {...}, "results": [...]}
nlohmann::ordered_json to_json(const Facts& environment, const std::vector<BenchRow>& rows);

}  // namespace rondo::tool
