#include "collectives/schedule/schedule_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/json/reader.h"

namespace rondo::schedule {
namespace {

using json::Value;

constexpr std::array kCollectives = {
    Collective::kAllReduce, Collective::kAllGather, Collective::kReduceScatter,
    Collective::kBroadcast, Collective::kReduce,    Collective::kGather,
    Collective::kScatter,   Collective::kAllToAll,  Collective::kBarrier};

/// "in 3", "out 0", "scratch 1"
std::optional<Slice> parse_slice(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view buffer = text.substr(0, space);
  const std::string_view digits = text.substr(space + 1);
  Slice slice;
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), slice.chunk);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (buffer == "in") slice.buffer = BufferRole::kInput;
  if (buffer == "out") slice.buffer = BufferRole::kOutput;
  if (buffer == "scratch") slice.buffer = BufferRole::kScratch;
  const bool known = buffer == "in" || buffer == "out" || buffer == "scratch";
  return known ? std::optional(slice) : std::nullopt;
}

/// The words of one op, taken one by one.
class OpReader {
 public:
  OpReader(Value& op, const Request& request) : op_(op), words_(op.items()), request_(request) {}

  std::string name() { return words_[next_++].text(); }
  Rank peer() { return static_cast<Rank>(take("a rank").integer(0, 0, request_.world - 1)); }
  Slice slice() {
    constexpr std::string_view kPlace = "a place, as \"in 0\", \"out 2\" or \"scratch 1\"";
    Value word = take(kPlace);
    const auto slice = parse_slice(word.text());
    if (!slice) word.refuse(kPlace);
    return slice.value_or(Slice{});
  }
  std::uint32_t number() {
    return static_cast<std::uint32_t>(take("a number").integer(0, 0, UINT32_MAX - 1));
  }
  bool final() {
    if (next_ >= words_.size()) return false;
    Value word = words_[next_++];
    if (word.text() != "final") word.refuse("\"final\" or nothing");
    return true;
  }
  void finish() {
    if (next_ < words_.size()) words_[next_].refuse("nothing more of this op");
  }

 private:
  /// What was left out, where there is none.
  Value take(std::string_view expected) {
    if (next_ >= words_.size())
      op_.fail(fmt::format("expected {} as word {}", expected, next_ + 1));
    return words_[next_++];
  }

  Value& op_;
  json::Items words_;
  const Request& request_;
  std::size_t next_ = 0;
};

void read_op(Value value, const Request& request, std::uint16_t lane, Builder& builder) {
  OpReader op(value, request);
  const std::string name = op.name();
  if (name == "send") {
    const Rank peer = op.peer();
    builder.send(peer, op.slice(), lane);
  } else if (name == "recv") {
    const Rank peer = op.peer();
    builder.recv(peer, op.slice(), lane);
  } else if (name == "recv_reduce") {
    const Rank peer = op.peer();
    const Slice source = op.slice();
    const Slice target = op.slice();
    builder.recv_reduce(peer, source, target, op.final(), lane);
  } else if (name == "copy") {
    const Slice source = op.slice();
    builder.copy(source, op.slice(), lane);
  } else if (name == "reduce") {
    const Slice source = op.slice();
    const Slice other = op.slice();
    const Slice target = op.slice();
    builder.reduce(source, other, target, op.final(), lane);
  } else if (name == "wait") {
    const std::uint32_t other = op.number();
    if (other >= kMostWrittenLanes) value.fail("there is no such lane");
    builder.wait(static_cast<std::uint16_t>(other % kMostWrittenLanes), op.number(), lane);
  } else {
    value.fail(
        fmt::format("unknown op '{}'; allowed: send, recv, recv_reduce, copy, reduce, wait", name));
  }
  op.finish();
}

RankSchedule read_rank(Value value, const Request& request) {
  Builder builder(request);
  for (Value row : value.at("scratch").items())
    builder.scratch(static_cast<std::uint32_t>(row.integer(0, 0, request.rows - 1)));
  Value lanes = value.at("lanes");
  const json::Items items = lanes.items();
  if (items.size() > kMostWrittenLanes)
    lanes.fail(fmt::format("{} lanes; at most {}", items.size(), kMostWrittenLanes));
  std::uint16_t lane = 0;
  for (Value list : items) {
    for (Value op : list.items()) read_op(std::move(op), request, lane, builder);
    ++lane;
  }
  value.no_other_keys();
  return std::move(builder).finish();
}

Slice turned(Slice slice, std::uint32_t steps, std::uint32_t rows) {
  if (slice.buffer != BufferRole::kScratch && slice.chunk < rows)
    slice.chunk = (slice.chunk + steps) % rows;
  return slice;
}

/// Rank 0's schedule, `steps` ranks and rows further.
RankSchedule turned(const RankSchedule& first, Rank steps) {
  RankSchedule schedule = first;
  const std::uint32_t rows = first.request.rows;
  const auto by = static_cast<std::uint32_t>(steps);
  schedule.request.rank = steps;
  for (std::uint32_t& row : schedule.scratch_rows) row = (row + by) % rows;
  for (std::vector<Op>& lane : schedule.lanes) {
    for (Op& op : lane) {
      if (op.peer >= 0) op.peer = (op.peer + steps) % first.request.world;
      op.source = turned(op.source, by, rows);
      op.target = turned(op.target, by, rows);
      if (op.kind == OpKind::kReduce) op.other = turned(op.other, by, rows);
    }
  }
  return schedule;
}

Request read_request(Value& root) {
  Request request;
  request.collective = read_collective(root.at("collective"));
  request.world = static_cast<int>(root.at("ranks").integer(0, 1, kMostWrittenRanks));
  if (request.world == 0) root.at("ranks").refuse("how many ranks there are");
  request.world = std::max(1, request.world);
  request.root = static_cast<Rank>(root.at("root").integer(0, 0, request.world - 1));
  const std::uint32_t unit = rows_unit(request.collective, request.world);
  Value rows = root.at("rows");
  request.rows = static_cast<std::uint32_t>(rows.integer(unit, 1, kMostWrittenRows));
  if (!may_have_rows(request.collective, request.world, request.rows))
    rows.refuse(expected_rows(request.collective, request.world));
  const WrittenSize size{.cells = std::int64_t{request.world} * request.rows};
  if (const Status status = size.check(); !status.ok()) rows.fail(status.message());
  return request;
}

/// `ranks` that are alike have all this.
void add(const RankSchedule& rank, std::int64_t ranks, WrittenSize& size) {
  size.cells += ranks * static_cast<std::int64_t>(rank.request.rows + rank.scratch_rows.size());
  size.lanes += ranks * static_cast<std::int64_t>(rank.lanes.size());
  for (const std::vector<Op>& lane : rank.lanes)
    size.ops += ranks * static_cast<std::int64_t>(lane.size());
}

Status at_most(std::int64_t most, std::int64_t count, std::string_view what) {
  if (count <= most) return {};
  return {ErrorCode::kInvalidArgument,
          fmt::format("{} {} of all ranks together; expected at most {}", count, what, most)};
}

}  // namespace

Status WrittenSize::check() const {
  RONDO_TRY(at_most(kMostWrittenCells, cells, "rows and scratch slots"));
  RONDO_TRY(at_most(kMostLanesOfAll, lanes, "lanes"));
  return at_most(kMostOpsOfAll, ops, "ops");
}

Collective read_collective(Value value) {
  const std::string text = value.text();
  const auto found = std::find_if(kCollectives.begin(), kCollectives.end(),
                                  [&](Collective each) { return text == to_string(each); });
  if (found != kCollectives.end()) return *found;
  value.refuse("a collective (all_reduce, all_gather, ...)");
  return Collective::kAllReduce;
}

Result<WrittenSchedule> parse_schedule(std::string_view text, std::string file) {
  RONDO_ASSIGN(json::Document document, json::Document::parse(text, std::move(file)));
  Value root = document.root();
  WrittenSchedule written;
  written.name = root.at("name").name();
  written.summary = root.at("summary").remark("a schedule of the user's");
  Request request = read_request(root);
  const bool turns = root.at("turns").flag(false);
  Value ranks = root.at("schedules");
  const json::Items items = ranks.items();
  const std::size_t expected = turns ? 1 : static_cast<std::size_t>(request.world);
  // A misspelt key first: it may be why the rest doesn't fit.
  root.no_other_keys();
  if (items.size() != expected) {
    ranks.fail(fmt::format("expected {}, got {}",
                           turns ? std::string("rank 0's schedule alone, as \"turns\" says")
                                 : fmt::format("{}, one for each rank", expected),
                           items.size()));
  }
  RONDO_TRY(document.status());
  WrittenSize size;
  for (Value item : items) {
    request.rank = static_cast<Rank>(written.ranks.size());
    written.ranks.push_back(read_rank(item, request));
    add(written.ranks.back(), turns ? request.world : 1, size);
    if (const Status status = size.check(); !status.ok()) item.fail(status.message());
  }
  RONDO_TRY(document.status());
  while (turns && static_cast<int>(written.ranks.size()) < request.world)
    written.ranks.push_back(turned(written.ranks.front(), static_cast<Rank>(written.ranks.size())));
  return written;
}

}  // namespace rondo::schedule
