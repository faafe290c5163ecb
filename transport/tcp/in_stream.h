#pragma once

// One data connection's incoming bytes: where the next of them belong. A payload is read straight
// to its target; small messages come out of one read together with the headers that follow them.
// Knows no lanes: what a message is for, and what follows from that, is the inbox's business.
// Threads: one at a time. Allocates nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/status.h"
#include "core/ticks.h"
#include "transport/endpoint/staging.h"
#include "transport/tcp/socket_io.h"
#include "transport/wire/frame.h"

namespace rondo::transport {

class InStream {
 public:
  InStream(int peer, std::size_t max_message_bytes) : reader_(peer, max_message_bytes) {}

  /// Where the current message's payload goes; `slot` if that is staging memory.
  struct Place {
    std::byte* target = nullptr;
    std::uint32_t slot = Staging::kNone;
    bool early = false;  ///< for no posted receive yet
  };

  /// Takes a header out of what has been read; true once there is one.
  Result<bool> take_header();
  bool has_header() const { return reader_.has_header(); }
  const FrameHeader& header() const { return reader_.header(); }
  void place(const Place& place);
  bool placed() const { return placed_; }
  const Place& place() const { return place_; }
  /// Moves payload that has been read ahead to its place; false if there was none.
  bool copy_buffered();
  bool payload_complete() const { return reader_.payload_left() == 0; }
  void next_message();
  /// Where the current message's whole payload lies; null where it hasn't all been read ahead.
  const std::byte* whole() const {
    const bool is_there = !placed_ && ahead_end_ - ahead_begin_ >= reader_.payload_left();
    return is_there ? ahead_.data() + ahead_begin_ : nullptr;
  }
  /// That message has been copied from there, without a place.
  void took_whole() {
    ahead_begin_ += static_cast<std::size_t>(reader_.payload_left());
    reader_.took_payload(reader_.payload_left());
    next_message();
  }
  /// Nothing more can be read now: if a message has come in part, its time runs from here.
  void note_parted() {
    if (placed_ && !payload_complete() && parted_since_ == 0) parted_since_ = ticks_now();
  }
  /// How long the message that is complete has been coming; 0: it came at once.
  Ticks parted_for() const { return parted_since_ == 0 ? 0 : ticks_now() - parted_since_; }

  /// Reads once: the rest of a payload to its place and what follows into the read-ahead buffer,
  /// which must be empty. False if the socket has no more for now.
  bool fill(int socket);

  /// The last message's header: nothing is read after it.
  void finish() { finished_ = true; }
  bool finished() const { return finished_; }
  bool ended() const { return ended_; }
  /// Nothing has come of the next message, as far as has been read.
  bool at_boundary() const { return reader_.at_boundary(); }
  /// Its message isn't wanted yet.
  bool stalled() const { return has_header() && !placed_; }
  /// " in the middle of a message (5 of 4096 bytes had come)", for the error after an early end.
  std::string describe_end() const;

 private:
  // Of a large message at most this much is copied once more.
  static constexpr std::size_t kReadAheadBytes = 8192;

  FrameReader reader_;
  Place place_;
  bool placed_ = false;
  Ticks parted_since_ = 0;
  std::array<std::byte, kReadAheadBytes> ahead_;
  std::size_t ahead_begin_ = 0;
  std::size_t ahead_end_ = 0;
  bool finished_ = false;
  bool ended_ = false;
  int end_error_ = 0;
};

}  // namespace rondo::transport
