#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "collectives/schedule/schedule_file.h"

namespace rondo::schedule {
namespace {

using nlohmann::ordered_json;

std::string text_of(Slice slice) {
  switch (slice.buffer) {
    case BufferRole::kInput: return fmt::format("in {}", slice.chunk);
    case BufferRole::kOutput: return fmt::format("out {}", slice.chunk);
    case BufferRole::kScratch: break;
  }
  return fmt::format("scratch {}", slice.chunk);
}

ordered_json to_json(const Op& op) {
  ordered_json words = ordered_json::array({to_string(op.kind)});
  switch (op.kind) {
    case OpKind::kSend: words.insert(words.end(), {op.peer, text_of(op.source)}); break;
    case OpKind::kRecv: words.insert(words.end(), {op.peer, text_of(op.target)}); break;
    case OpKind::kRecvReduce:
      words.insert(words.end(), {op.peer, text_of(op.source), text_of(op.target)});
      break;
    case OpKind::kCopy: words.insert(words.end(), {text_of(op.source), text_of(op.target)}); break;
    case OpKind::kReduce:
      words.insert(words.end(), {text_of(op.source), text_of(op.other), text_of(op.target)});
      break;
    case OpKind::kWait: words.insert(words.end(), {op.wait.lane, op.wait.op}); break;
  }
  if (op.final) words.push_back("final");
  return words;
}

ordered_json to_json(const RankSchedule& rank) {
  ordered_json lanes = ordered_json::array();
  for (const std::vector<Op>& lane : rank.lanes) {
    ordered_json ops = ordered_json::array();
    for (const Op& op : lane) ops.push_back(to_json(op));
    lanes.push_back(std::move(ops));
  }
  return {{"scratch", rank.scratch_rows}, {"lanes", lanes}};
}

}  // namespace

std::string to_json(const WrittenSchedule& schedule) {
  const Request& request = schedule.request();
  ordered_json ranks = ordered_json::array();
  for (const RankSchedule& rank : schedule.ranks) {
    ranks.push_back(to_json(rank));
    if (schedule.turns) break;
  }
  const ordered_json json = {{"name", schedule.name},
                             {"summary", schedule.summary},
                             {"collective", to_string(request.collective)},
                             {"ranks", request.world},
                             {"rows", request.rows},
                             {"root", request.root},
                             {"turns", schedule.turns},
                             {"schedules", ranks}};
  return json.dump() + "\n";
}

}  // namespace rondo::schedule
