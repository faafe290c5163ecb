#pragma once

// Where the ranks of a communicator meet, call by call: each lays down where its memory is, and
// once all have, each does its share. Messages are laid down likewise, one at a time for each
// sender and receiver. It is a file that the processes of all ranks map. Threads: the ranks'
// streams, one at a time for each rank.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "examples/custom_device/memory.h"
#include "examples/custom_device/shared_file.h"

namespace custom_cpu {

/// What a rank brings to a call.
struct Share {
  MemoryName input{};
  MemoryName output{};
};

/// The place for messages of one rank to another. Who sends counts them, and so does who receives.
struct Letter {
  std::atomic<std::uint64_t> written;
  std::atomic<std::uint64_t> read;
  MemoryName memory;  ///< of the one that is written and not read
};

class Meeting {
 public:
  static constexpr int kMostRanks = 128;

  /// A new one, for others to find. Nothing where the system has no room for it.
  static std::optional<FileName> arrange();
  /// One for all ranks of this process; null where it is gone.
  static std::shared_ptr<Meeting> find(const FileName& name);
  Meeting(const FileName& name, Mapping memory) : name_(name), memory_(std::move(memory)) {}

  void join();
  bool is_complete(int world) const;
  /// Nobody looks for it any more: all have come, or one that has come leaves.
  void hide() const;

  void lay_down(int rank, const Share& share);
  /// Of any rank, once all have laid theirs down.
  const Share& share(int rank) const;
  /// Until all ranks have called it as often as this one; false where one has given up.
  bool wait_for_all(int rank, int world);
  Letter& letter(int from, int to);

  /// What waits here ends.
  void give_up();
  bool given_up() const;

 private:
  /// What all ranks map, all 0 at first.
  struct Table {
    std::atomic<std::uint32_t> joined;
    std::atomic<std::uint32_t> given_up;
    std::array<std::atomic<std::uint64_t>, kMostRanks> came;
    std::array<Share, kMostRanks> shares;
    std::array<std::array<Letter, kMostRanks>, kMostRanks> letters;  ///< by sender, receiver
  };
  Table& table() const { return *reinterpret_cast<Table*>(memory_.data()); }

  FileName name_;
  Mapping memory_;
};

/// A rank's place at its meeting.
struct Seat {
  std::shared_ptr<Meeting> meeting;
  int rank = 0;
  int world = 1;

  bool wait_for_all() const { return meeting->wait_for_all(rank, world); }
};

}  // namespace custom_cpu
