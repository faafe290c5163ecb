#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rondo/collective.h"
#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

/// Writes a schedule of one's own op by op (docs/your-own-schedule.md): what each rank sends,
/// receives and combines. Ops of one rank and lane come in order; lanes run side by side. Every
/// function that adds an op returns its number in its lane, for `wait`.
/// Errors of all: InvalidArgument: a rank, row, slot, lane or op that there isn't, at once.
/// Threads: one at a time.
class RONDO_API ScheduleBuilder {
 public:
  /// A part of a rank's memory.
  struct Place {
    enum class Memory : std::uint8_t { kInput, kOutput, kScratch };
    Memory memory = Memory::kInput;
    std::uint32_t index = 0;  ///< of the row, or the slot
  };
  static Place in(std::uint32_t row) { return {Place::Memory::kInput, row}; }
  static Place out(std::uint32_t row) { return {Place::Memory::kOutput, row}; }

  /// `name`: one line of UTF-8, at most 256 bytes. `rows`: equal parts that the data are cut into,
  /// as many as docs/your-own-schedule.md says (of all_to_all the square of the ranks).
  ScheduleBuilder(std::string name, Collective collective, int ranks, std::uint32_t rows,
                  int root = 0);
  ~ScheduleBuilder();
  ScheduleBuilder(ScheduleBuilder&&) noexcept;
  ScheduleBuilder& operator=(ScheduleBuilder&&) noexcept;

  /// Rank 0's ops stand for all: rank r does the same r ranks, and r rows, further.
  void turns();
  /// Memory of this rank's for a row of this size.
  Place scratch(int rank, std::uint32_t row);

  /// Gives `source` to `peer`; it may not be written until the peer has read it.
  std::uint32_t send(int rank, int peer, Place source, int lane = 0);
  /// Takes the peer's next message of this lane.
  std::uint32_t recv(int rank, int peer, Place target, int lane = 0);
  /// target = source (+) received. `final`: the result has all contributions.
  std::uint32_t recv_reduce(int rank, int peer, Place source, Place target, bool final = false,
                            int lane = 0);
  std::uint32_t copy(int rank, Place source, Place target, int lane = 0);
  /// target = source (+) other.
  std::uint32_t reduce(int rank, Place source, Place other, Place target, bool final = false,
                       int lane = 0);
  /// Not before op `op` of lane `other_lane` is done and what it sent has been read.
  std::uint32_t wait(int rank, int other_lane, std::uint32_t op, int lane = 0);

  /// The schedule as JSON, proved: for CommunicatorOptions::schedule, or for a file.
  /// Errors: InvalidArgument: the rank, step and row that are wrong, and what the right contents
  /// would be.
  std::string build() const;
  /// The same without the proof.
  std::string json() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace rondo
