#include "tools/rondo/bench/named_files.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/json/reader.h"
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
  if (!text.ok()) throw FileError(text.status().message());
  // An empty text would stand for none.
  return text->empty() ? " " : std::move(text).value();
}

}  // namespace

void check_named_files(const std::string& tuning_flag) {
  const std::string tuning = tuning_flag.empty() ? variable("RONDO_TUNING") : tuning_flag;
  if (!tuning.empty() && tuning != "off" && tuning != "measure") {
    PlanQuestion question;
    question.hosts = 0;  // those that were measured
    question.tuning_name = fmt::format("tuning file {} ({})", tuning,
                                       tuning_flag.empty() ? "RONDO_TUNING" : "--tuning");
    question.tuning = content_of(tuning, question.tuning_name);
    static_cast<void>(explain_plan(question));
  }
  if (const std::string schedule = variable("RONDO_SCHEDULE"); !schedule.empty()) {
    const std::string name = fmt::format("schedule file {} (RONDO_SCHEDULE)", schedule);
    static_cast<void>(verify_schedule(content_of(schedule, name), name));
  }
}

}  // namespace rondo::tool
