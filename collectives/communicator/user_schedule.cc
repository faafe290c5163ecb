#include "collectives/communicator/user_schedule.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "collectives/schedule/schedule_file.h"
#include "collectives/verify/written.h"
#include "core/hash.h"
#include "core/json/reader.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::communicator {
namespace {

static_assert(schedule::kMostWrittenLanes == transport::kFirstFreeLane);

std::string name_of(const std::string& path) {
  return fmt::format("schedule file {} (option schedule, RONDO_SCHEDULE)", path);
}

}  // namespace

bool UserSchedule::fits(const CallArguments& arguments, int ranks, bool in_rank_order) const {
  const schedule::Request& own = request();
  return own.collective == arguments.collective && own.world == ranks && !arguments.uneven &&
         !in_rank_order && (!has_root(own.collective) || own.root == arguments.root);
}

Result<std::shared_ptr<const UserSchedule>> load_schedule(const std::string& option) {
  if (option.empty()) return std::shared_ptr<const UserSchedule>();
  const bool is_text = json::is_object_text(option);
  const std::string name = is_text ? "schedule (option schedule, RONDO_SCHEDULE)" : name_of(option);
  std::string text = option;
  if (!is_text) {
    RONDO_ASSIGN(text, json::read_file(option, name));
  }
  RONDO_ASSIGN(schedule::WrittenSchedule written, schedule::parse_schedule(text, name));
  auto verdict = verify::verify_written(written, name);
  if (!verdict.ok()) {
    // The rank at fault is one of the schedule's: every rank of the world has the same file.
    const Status& wrong = verdict.status();
    return Status(wrong.code(), wrong.message()).at(wrong.where());
  }
  return std::make_shared<const UserSchedule>(
      UserSchedule{.name = std::move(written.name),
                   .digest = fmt::format("{:016x}", fnv1a(text)),
                   .world = std::move(verdict->fused),
                   .least_credits = verdict->least_credits});
}

}  // namespace rondo::communicator
