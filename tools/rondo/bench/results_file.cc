#include "tools/rondo/bench/results_file.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "tools/rondo/bench/input_file.h"

namespace rondo::tool {
namespace {

/// What closes the list of results and the object around it.
constexpr std::string_view kEnd = "\n  ]\n}\n";

/// The text before the first result.
std::string head(const Facts& environment) {
  const std::string empty = json_text(to_json(environment, {}));
  return empty.substr(0, empty.rfind(']'));
}

}  // namespace

ResultsFile::ResultsFile(const std::string& path, const Facts& environment, bool at_end)
    : file_("--json", path), grows_(!at_end && file_.can_grow()), text_(head(environment)) {
  if (!grows_ || !file_.begin(text_ + std::string(kEnd))) return;
  begin_ = text_.size();
  text_.clear();
}

bool ResultsFile::add(const BenchRow& row) {
  std::string lines;
  for (const std::string& result : result_lines(row)) {
    lines += (has_rows_ || !lines.empty() ? ",\n    " : "\n    ") + result;
  }
  const std::size_t end = begin_ + text_.size() + lines.size() + kEnd.size();
  if (grows_ && end > kMostInputBytes) return false;
  has_rows_ = true;
  text_ += lines;
  if (!grows_) return true;
  try {
    file_.put(begin_, text_ + std::string(kEnd));
  } catch (const std::runtime_error&) {
    // The room of the end is the file's already.
    if (begin_ > 0) file_.put(begin_, kEnd);
    throw;
  }
  begin_ += text_.size();
  text_.clear();
  return true;
}

void ResultsFile::close() {
  if (!grows_) return file_.write(text_ + std::string(kEnd));
  if (!has_rows_) file_.put(begin_, text_ + std::string(kEnd));
}

}  // namespace rondo::tool
