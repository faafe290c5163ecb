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

std::string WorldMemory::read(CellId id, Event event, const Clocks& clocks) {
  Cell& cell = cells_[id];
  if (!cell.written) return "reads memory that nothing was stored to";
  if (cell.stored_by_peer) return "reads memory while a peer may still store into it";
  if (!clocks.knows(event.lane, cell.last_write)) {
    return "reads memory that another lane may still write to; a wait is missing";
  }
  const auto same_lane = [&](const Event& read) { return read.lane == event.lane; };
  const auto found = std::find_if(cell.reads.begin(), cell.reads.end(), same_lane);
  if (found == cell.reads.end()) {
    cell.reads.push_back(event);
  } else {
    *found = event;
  }
  return {};
}

std::string WorldMemory::conflict(const Cell& cell, Event event, const Clocks& clocks,
                                  std::span<const LoanId> own_loans) const {
  if (cell.stored_by_peer) return "while a peer may still store into it";
  if (!clocks.knows(event.lane, cell.last_write)) return "that may still be written to";
  for (const Event& read : cell.reads) {
    if (!clocks.knows(event.lane, read)) return "that may still be read";
  }
  for (const LoanId id : cell.loans) {
    if (std::find(own_loans.begin(), own_loans.end(), id) != own_loans.end()) continue;
    if (!loans_[id].consumed || !clocks.knows(event.lane, loans_[id].consumer)) {
      return "whose send may still be pending";
    }
  }
  return {};
}

void WorldMemory::record_write(Cell& cell, const Value& value, Event event) {
  cell.value = value;
  cell.written = true;
  cell.last_write = event;
  cell.reads.clear();
  cell.loans.clear();
}

std::string WorldMemory::write(CellId id, const Value& value, Event event, const Clocks& clocks) {
  Cell& cell = cells_[id];
  const std::string why = conflict(cell, event, clocks, {});
  record_write(cell, value, event);
  return why.empty() ? why : "writes to memory " + why;
}

std::string WorldMemory::store_from_peer(CellId id, const Value& value, Event event,
                                         const Clocks& clocks, std::span<const LoanId> own_loans) {
  Cell& cell = cells_[id];
  std::string why = conflict(cell, event, clocks, own_loans);
  record_write(cell, value, event);
  cell.stored_by_peer = true;
  return why.empty() ? why : "stores into a peer's memory " + why;
}

void WorldMemory::note_store(CellId id, Event event) {
  cells_[id].stored_by_peer = false;
  cells_[id].last_write = event;
}

LoanId WorldMemory::lend(CellId cell) {
  loans_.push_back({cell, false, {}});
  cells_[cell].loans.push_back(static_cast<LoanId>(loans_.size() - 1));
  return cells_[cell].loans.back();
}

void WorldMemory::consume(LoanId loan, Event consumer) {
  loans_[loan].consumed = true;
  loans_[loan].consumer = consumer;
}

}  // namespace rondo::verify
