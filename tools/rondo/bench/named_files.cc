#include "tools/rondo/bench/named_files.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/json/reader.h"
#include "rondo/options_check.h"
#include "rondo/plan.h"
#include "rondo/schedules.h"
#include "tools/rondo/bench/input_file.h"

namespace rondo::tool {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string content_of(const std::string& path, const std::string& name) {
  auto text = json::read_file(path, name);
  if (!text.ok()) throw FileError(one_line(text.status().message()));
  // An empty text would stand for none.
  return text->empty() ? " " : std::move(text).value();
}

/// A pipe can be read once, by the rank that it is for.
bool is_file(const std::string& tuning) {
  std::error_code ignored;
  if (tuning.empty() || tuning == "off" || tuning == "measure") return false;
  return std::filesystem::is_regular_file(tuning, ignored) ||
         !std::filesystem::exists(tuning, ignored);
}

void check_tuning(const std::string& path, const char* named_by) {
  PlanQuestion question;  // of two ranks: the file may be of any number
  question.tuning_name = one_line(fmt::format("tuning file {} ({})", path, named_by));
  question.tuning = content_of(path, question.tuning_name);
  static_cast<void>(explain_plan(question));
}

void check_schedule(const std::string& schedule) {
  const bool is_text = json::is_object_text(schedule);
  const std::string name =
      is_text ? "schedule (RONDO_SCHEDULE)"
              : one_line(fmt::format("schedule file {} (RONDO_SCHEDULE)", schedule));
  static_cast<void>(verify_schedule(is_text ? schedule : content_of(schedule, name), name));
}

}  // namespace

void check_named_files(int ranks, const std::string& tuning_flag) {
  const bool by_flag = !tuning_flag.empty();
  const std::string tuning = by_flag ? tuning_flag : variable("RONDO_TUNING");
  if (ranks > 1 && is_file(tuning)) check_tuning(tuning, by_flag ? "--tuning" : "RONDO_TUNING");
  if (const std::string schedule = variable("RONDO_SCHEDULE"); !schedule.empty())
    check_schedule(schedule);
}

void check_options_of_ranks(int ranks, const CommunicatorOptions& options) {
  if (ranks < 2) return;  // which has no use for most of them, and says what is wrong itself
  check_options(options, Device::host(), ranks);
}

}  // namespace rondo::tool
