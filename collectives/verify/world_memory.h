#pragma once

// The memory of all bases, one cell per (rank, row) or scratch slot, and the rules for touching it.
// Every rule is about what *may* happen in some order of events, not what did happen in this one:
// an access conflicts with an earlier one unless the clocks show that it always comes after.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/verify/clocks.h"
#include "collectives/verify/lane_table.h"
#include "collectives/verify/value.h"

namespace rondo::verify {

using CellId = std::uint32_t;
inline constexpr CellId kNoCell = ~CellId{0};

/// A message that was sent from a cell and read there by its receiver.
struct Loan {
  CellId cell = kNoCell;
  Event sender;
  bool consumed = false;
  Event consumer;
};
using LoanId = std::uint32_t;
inline constexpr LoanId kNoLoan = ~LoanId{0};

/// What is wrong with an access.
struct Conflict {
  std::string text;  ///< empty: nothing
  Event other;       ///< the access that it may meet; number 0 where there is none to name

  bool empty() const { return text.empty(); }
};

class WorldMemory {
 public:
  WorldMemory(std::span<const schedule::FusedSchedule> bases, const LaneTable& lanes,
              bool in_place);

  CellId cell(schedule::Rank base, schedule::Slice slice) const;
  std::size_t size() const { return cells_.size(); }
  const Value& value(CellId cell) const { return cells_[cell].value; }
  void initialise(CellId cell, const Value& value);
  bool is_written(CellId cell) const { return cells_[cell].written; }

  /// Each returns what is wrong with the access that `event` makes.
  Conflict read(CellId cell, Event event, const Clocks& clocks);
  Conflict write(CellId cell, const Value& value, Event event, const Clocks& clocks);
  /// A store by another rank's sweep, which consumes the messages of `own_loans` while it stores.
  Conflict store_from_peer(CellId cell, const Value& value, Event event, const Clocks& clocks,
                           std::span<const LoanId> own_loans);
  /// The owner's recv that takes note of such a store.
  void note_store(CellId cell, Event event);

  /// What the schedule calls a cell that it reads or writes.
  void note_read(CellId cell, schedule::BufferRole role);
  void note_write(CellId cell, schedule::BufferRole role);
  /// In place: whether out of place each read so far would have found the same. It does where what
  /// is read as output has been written as that, and what is read as input hasn't.
  bool reads_the_same_out_of_place() const { return reads_the_same_; }
  bool is_written_as_output(CellId cell) const { return cells_[cell].written_as_output; }

  /// A message that `sender` sends.
  LoanId lend(CellId cell, Event sender);
  void consume(LoanId loan, Event consumer);
  /// `waiter` has waited until it was over, however: whoever knows that, knows this.
  void await(LoanId loan, Event waiter) { waiters_[loan].push_back(waiter); }
  CellId lent_cell(LoanId loan) const { return loans_[loan].cell; }

 private:
  struct Cell {
    Value value;
    bool written = false;
    bool written_as_output = false;
    bool stored_by_peer = false;  ///< and the owner's recv has not run yet
    Event last_write;
    // Since the last write; there is seldom more than one.
    Event read;  ///< number 0: none
    LoanId loan = kNoLoan;
    std::uint32_t more = kNoMore;  ///< where the others are kept
  };
  /// Further reads of a cell, one per lane, and further loans of it.
  struct More {
    std::vector<Event> reads;
    std::vector<LoanId> loans;
  };
  static constexpr std::uint32_t kNoMore = ~std::uint32_t{0};

  More& more_of(Cell& cell);
  void add_read(Cell& cell, Event event);
  bool is_pending(LoanId loan, Event event, const Clocks& clocks,
                  std::span<const LoanId> own_loans) const;
  Conflict conflict(const Cell& cell, Event event, const Clocks& clocks,
                    std::span<const LoanId> own_loans) const;
  void record_write(Cell& cell, const Value& value, Event event);

  struct RankCells {
    schedule::RowRange input, output;
    CellId first_input = 0, first_output = 0, first_scratch = 0;
  };
  bool in_place_;
  bool reads_the_same_ = true;
  std::vector<RankCells> ranks_;
  std::vector<Cell> cells_;
  std::vector<More> more_;
  std::vector<Loan> loans_;
  std::unordered_map<LoanId, std::vector<Event>> waiters_;  ///< of few loans, if any
};

}  // namespace rondo::verify
