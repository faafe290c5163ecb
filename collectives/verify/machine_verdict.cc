// What there is to say after a run, or where it ended.

#include <fmt/format.h>

#include <utility>

#include "collectives/schedule/print.h"
#include "collectives/verify/machine.h"

namespace rondo::verify {

using schedule::Rank;
using schedule::Slice;

Outcome Machine::outcome() const {
  const auto find = [this](Rank rank, Slice slice) {
    const CellId cell = memory_.cell(rank, slice);
    return memory_.is_written(cell) ? &memory_.value(cell) : nullptr;
  };
  const auto end_knows_start = [this](Rank rank, Rank other) {
    const LaneId first = lane_table_.first_of(rotation_.base(other));
    const Event start{lane_table_.in_world(first, rotation_.turn(other)), kStartEvent};
    bool knows = false;
    for (LaneId lane = lane_table_.first_of(rank); lane < lane_table_.end_of(rank); ++lane) {
      knows = knows || clocks_.knows(lane_table_.in_world(lane, 0), start);
    }
    return knows;
  };
  Outcome outcome{find, end_knows_start};
  if (lineage_ == nullptr) return outcome;
  outcome.made_of = [this](const Value& value) { return lineage_->text(value.lineage); };
  outcome.blame = [this](const Value& value, std::span<const Rank> right) {
    return blame(value, right);
  };
  return outcome;
}

bool Machine::is_the_same_out_of_place() const {
  if (!has_memory_) return true;
  if (!memory_.reads_the_same_out_of_place()) return false;
  for (const schedule::FusedSchedule& own : bases_) {
    const schedule::RowRange rows = output_rows(own.request);
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      const Slice output{schedule::BufferRole::kOutput, rows.row(i)};
      if (!memory_.is_written_as_output(memory_.cell(own.request.rank, output))) return false;
    }
  }
  return true;
}

std::string Machine::in_words(Maker maker) const {
  return fmt::format(
      "rank {}, {}", lane_table_.rank(maker.lane),
      describe_sweep(lane_table_.schedule(maker.lane), lane_table_.lane(maker.lane), maker.sweep));
}

std::string Machine::in_words(const Conflict& conflict) const {
  const Event other = conflict.other;
  // Without a rotation, the world's lanes are the bases'.
  if (lineage_ == nullptr || other.number <= kStartEvent) return conflict.text;
  return fmt::format("{} ({})", conflict.text,
                     in_words(Maker{other.lane, other.number - sweep_event(0, 0).number}));
}

std::string Machine::sent_by(LaneId lane, const Message& message) const {
  if (lineage_ == nullptr) return {};
  return fmt::format(" (it was sent by {})", in_words(Maker{lane, message.sweep}));
}

std::optional<Blame> Machine::blame(const Value& value, std::span<const Rank> right) const {
  if (const std::optional<Fault> fault = lineage_->fault(value.lineage, right)) {
    return Blame{lane_table_.rank(fault->maker.lane),
                 fault->before + in_words(fault->maker) + fault->behind};
  }
  const std::optional<Maker> maker = lineage_->maker(value.lineage);
  if (!maker) return std::nullopt;
  return Blame{lane_table_.rank(maker->lane), fmt::format("made by {}", in_words(*maker))};
}

std::string Machine::too_many_messages() {
  return fmt::format(
      "so many messages are under way at once that the proof would need more than {} MiB for "
      "what their senders knew; receive them earlier, or write fewer ranks or lanes",
      Clocks::kMostBytes >> 20);
}

Status Machine::error_at(LaneId lane, std::string why) const {
  Rank culprit = lane_table_.rank(lane);
  if (blame_) {
    culprit = blame_->rank;
    why += "; " + blame_->text;
  }
  return Status(ErrorCode::kInvalidArgument, std::move(why), culprit,
                in_words(Maker{lane, lanes_[lane].next}));
}

Status Machine::deadlock() const {
  constexpr int kMostNamed = 4;
  std::string text;
  int stuck = 0;
  Rank first = kNoCulprit;
  for (LaneId lane = 0; lane < lane_table_.size(); ++lane) {
    if (lanes_[lane].next == lane_table_.sweeps(lane).size()) continue;
    if (first == kNoCulprit) first = lane_table_.rank(lane);
    if (++stuck > kMostNamed) continue;
    text += fmt::format(
        "{}rank {} at {}", stuck == 1 ? "" : "; ", lane_table_.rank(lane),
        describe_sweep(lane_table_.schedule(lane), lane_table_.lane(lane), lanes_[lane].next));
  }
  if (stuck > kMostNamed) text += fmt::format("; and {} more lanes", stuck - kMostNamed);
  return Status(
      ErrorCode::kInvalidArgument,
      fmt::format("with {} message(s) per channel nothing can move any more: {}", credits_, text),
      first);
}

Status Machine::leftovers() const {
  for (std::size_t index = 0; index < fifos_.channels(); ++index) {
    if (fifos_.size(index) == 0) continue;
    const auto channel = lane_table_.channels().channel(index);
    return Status(
        ErrorCode::kInvalidArgument,
        fmt::format("rank {} never receives the last {} message(s) that rank {} sends it "
                    "on lane {}{}",
                    channel.to, fifos_.size(index), channel.from, channel.lane,
                    sent_by(static_cast<LaneId>(lane_table_.first_of(channel.from) + channel.lane),
                            fifos_.front(index))),
        channel.to);
  }
  return {};
}

}  // namespace rondo::verify
