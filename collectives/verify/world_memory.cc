#include "collectives/verify/world_memory.h"

#include <algorithm>

namespace rondo::verify {

using schedule::BufferRole;
using schedule::FusedSchedule;
using schedule::Rank;
using schedule::Slice;

WorldMemory::WorldMemory(std::span<const FusedSchedule> bases, const LaneTable& lanes,
                         bool in_place)
    : in_place_(in_place) {
  std::size_t size = 0;
  for (const FusedSchedule& own : bases) {
    size += input_rows(own.request).count + output_rows(own.request).count;
    size += own.scratch_rows.size();
  }
  cells_.reserve(size);
  for (std::size_t rank = 0; rank < bases.size(); ++rank) {
    RankCells cells;
    cells.input = schedule::input_rows(bases[rank].request);
    cells.output = schedule::output_rows(bases[rank].request);
    cells.first_input = static_cast<CellId>(cells_.size());
    cells.first_output = cells.first_input + cells.input.count;
    cells.first_scratch = cells.first_output + cells.output.count;
    ranks_.push_back(cells);
    Cell empty;
    // What the caller did to its buffers before the call ends with the rank's start.
    empty.last_write = {lanes.in_world(lanes.first_of(static_cast<Rank>(rank)), 0), kStartEvent};
    cells_.resize(cells.first_scratch + bases[rank].scratch_rows.size(), empty);
  }
}

CellId WorldMemory::cell(Rank rank, Slice slice) const {
  const RankCells& cells = ranks_[static_cast<std::size_t>(rank)];
  switch (slice.buffer) {
    case BufferRole::kInput: return cells.first_input + cells.input.index_of(slice.chunk);
    case BufferRole::kOutput:
      if (in_place_ && cells.input.contains(slice.chunk)) {
        return cells.first_input + cells.input.index_of(slice.chunk);
      }
      return cells.first_output + cells.output.index_of(slice.chunk);
    case BufferRole::kScratch: return cells.first_scratch + slice.chunk;
  }
  return kNoCell;
}

void WorldMemory::initialise(CellId cell, const Value& value) {
  cells_[cell].value = value;
  cells_[cell].written = true;
}

Conflict WorldMemory::read(CellId id, Event event, const Clocks& clocks) {
  Cell& cell = cells_[id];
  if (!cell.written) return {"reads memory that nothing was stored to", {}};
  if (cell.stored_by_peer) {
    return {"reads memory while a peer may still store into it", cell.last_write};
  }
  if (!clocks.knows(event.lane, cell.last_write)) {
    return {"reads memory that another lane may still write to; a wait is missing",
            cell.last_write};
  }
  add_read(cell, event);
  return {};
}

WorldMemory::More& WorldMemory::more_of(Cell& cell) {
  if (cell.more == kNoMore) {
    cell.more = static_cast<std::uint32_t>(more_.size());
    more_.emplace_back();
  }
  return more_[cell.more];
}

void WorldMemory::add_read(Cell& cell, Event event) {
  if (cell.read.number == 0 || cell.read.lane == event.lane) {
    cell.read = event;
    return;
  }
  std::vector<Event>& reads = more_of(cell).reads;
  const auto found = std::ranges::find(reads, event.lane, &Event::lane);
  if (found == reads.end()) {
    reads.push_back(event);
  } else {
    *found = event;
  }
}

Conflict WorldMemory::conflict(const Cell& cell, Event event, const Clocks& clocks,
                               std::span<const LoanId> own_loans) const {
  static const More kNone;
  const More& more = cell.more == kNoMore ? kNone : more_[cell.more];
  const auto is_unknown = [&](Event read) { return !clocks.knows(event.lane, read); };
  const auto is_lent = [&](LoanId loan) { return is_pending(loan, event, clocks, own_loans); };
  const auto still_read = [](Event read) { return Conflict{"that may still be read", read}; };
  const auto pending = [this](LoanId loan) {
    return Conflict{"whose send may still be pending", loans_[loan].sender};
  };
  if (cell.stored_by_peer) return {"while a peer may still store into it", cell.last_write};
  if (is_unknown(cell.last_write)) return {"that may still be written to", cell.last_write};
  if (cell.read.number != 0 && is_unknown(cell.read)) return still_read(cell.read);
  const auto read = std::ranges::find_if(more.reads, is_unknown);
  if (read != more.reads.end()) return still_read(*read);
  if (cell.loan != kNoLoan && is_lent(cell.loan)) return pending(cell.loan);
  const auto loan = std::ranges::find_if(more.loans, is_lent);
  return loan == more.loans.end() ? Conflict{} : pending(*loan);
}

bool WorldMemory::is_pending(LoanId loan, Event event, const Clocks& clocks,
                             std::span<const LoanId> own_loans) const {
  if (std::ranges::find(own_loans, loan) != own_loans.end()) return false;
  if (!loans_[loan].consumed) return true;
  const auto knows = [&](Event other) { return clocks.knows(event.lane, other); };
  if (knows(loans_[loan].consumer)) return false;
  const auto waiters = waiters_.find(loan);
  return waiters == waiters_.end() || std::ranges::none_of(waiters->second, knows);
}

void WorldMemory::record_write(Cell& cell, const Value& value, Event event) {
  cell.value = value;
  cell.written = true;
  cell.last_write = event;
  cell.read = {};
  cell.loan = kNoLoan;
  if (cell.more == kNoMore) return;
  more_[cell.more].reads.clear();
  more_[cell.more].loans.clear();
}

Conflict WorldMemory::write(CellId id, const Value& value, Event event, const Clocks& clocks) {
  Cell& cell = cells_[id];
  Conflict found = conflict(cell, event, clocks, {});
  record_write(cell, value, event);
  if (!found.empty()) found.text.insert(0, "writes to memory ");
  return found;
}

Conflict WorldMemory::store_from_peer(CellId id, const Value& value, Event event,
                                      const Clocks& clocks, std::span<const LoanId> own_loans) {
  Cell& cell = cells_[id];
  Conflict found = conflict(cell, event, clocks, own_loans);
  record_write(cell, value, event);
  cell.stored_by_peer = true;
  if (!found.empty()) found.text.insert(0, "stores into a peer's memory ");
  return found;
}

void WorldMemory::note_store(CellId id, Event event) {
  cells_[id].stored_by_peer = false;
  cells_[id].last_write = event;
}

void WorldMemory::note_read(CellId cell, BufferRole role) {
  if (role == BufferRole::kScratch) return;
  const bool reads_output = role == BufferRole::kOutput;
  if (reads_output != cells_[cell].written_as_output) reads_the_same_ = false;
}

void WorldMemory::note_write(CellId cell, BufferRole role) {
  if (role == BufferRole::kOutput) cells_[cell].written_as_output = true;
}

LoanId WorldMemory::lend(CellId cell, Event sender) {
  const auto loan = static_cast<LoanId>(loans_.size());
  loans_.push_back({.cell = cell, .sender = sender, .consumed = false, .consumer = {}});
  if (cells_[cell].loan == kNoLoan) {
    cells_[cell].loan = loan;
  } else {
    more_of(cells_[cell]).loans.push_back(loan);
  }
  return loan;
}

void WorldMemory::consume(LoanId loan, Event consumer) {
  loans_[loan].consumed = true;
  loans_[loan].consumer = consumer;
}

}  // namespace rondo::verify
