#pragma once

// What is kept of one call. Times are ticks (core/ticks.h).

#include <cstdint>

#include "core/ticks.h"

namespace rondo::trace {

struct CallRecord {
  std::uint64_t sequence = 0;  ///< of the communicator's collectives, from 1; 0: a send or receive
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  ///< of the larger of this rank's buffers
  Ticks entered = 0;        ///< the program called, or started the call
  Ticks begun = 0;          ///< what was started before had ended
  Ticks first_byte = 0;     ///< the first wait for a peer was over; `begun` where there was none
  Ticks last_byte = 0;      ///< the last one was
  Ticks done = 0;
  Ticks wait = 0;    ///< nothing moved, for want of a peer
  Ticks reduce = 0;  ///< in kernels; what remains of begun..done is transfer
  /// Over tcp, of the messages that came in parts from the peer whose took longest: from the first
  /// part to the last, and their bytes.
  Ticks link = 0;
  std::uint64_t link_bytes = 0;
  std::uint16_t series = 0;  ///< names collective, algorithm and transport (SeriesTable)
  std::uint8_t type = 0;     ///< DataType
  std::uint8_t op = 0;       ///< ReduceOp
  std::uint8_t result = 0;   ///< ErrorCode
  std::uint8_t reduces = 0;
  std::uint16_t unused = 0;
  std::int32_t root = 0;
  std::int32_t waited_longest_for = -1;  ///< rank of the longest single wait; -1: none
  std::int32_t waited_last_for = -1;
  std::int32_t link_peer = -1;

  Ticks transfer() const {
    const Ticks known = wait + reduce;
    return done - begun > known ? done - begun - known : 0;
  }
};

}  // namespace rondo::trace
