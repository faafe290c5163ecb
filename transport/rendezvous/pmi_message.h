#pragma once

// The lines of PMI-1, which a launcher and the processes that it started say to each other: MPICH's
// Hydra speaks it, and so does srun's plug-in pmi2. A message is "cmd=NAME key=value key=value" and
// a newline; what a value may hold is told in pmi_value.h. Pure: whoever owns the socket moves the
// bytes. What comes is checked and bounded, for the descriptor might be anybody's.
// Source: the simple PMI client and the process manager of MPICH; there is no other specification.
// Threads: one at a time per object.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/status.h"

namespace rondo::rendezvous {

/// Longest line that clients and servers of PMI-1 reckon with, newline included.
inline constexpr std::size_t kPmiLineBytes = 1024;
/// Longest line that is read: nobody answers with more than a value and its surroundings.
inline constexpr std::size_t kMaxPmiLineBytes = 4 * kPmiLineBytes;

struct PmiMessage {
  std::string command{};
  std::vector<std::pair<std::string, std::string>> fields{};

  /// The first field of that name; nullptr where there is none.
  const std::string* find(std::string_view name) const;
};

/// The line with its newline. No part of the message may hold spaces or control characters.
std::string encode(const PmiMessage& message);
/// Of a line without its newline. Errors: DataLoss.
Result<PmiMessage> parse_pmi_line(std::string_view line);
/// `line` as errors quote it: short, and without what a terminal would obey.
std::string quoted(std::string_view line);

/// Cuts what arrives into messages. After an error nothing more can be read.
class PmiReader {
 public:
  void feed(std::string_view bytes) { rest_.append(bytes); }
  /// The next message; nothing while its line isn't complete. Errors: DataLoss.
  Result<std::optional<PmiMessage>> next();

 private:
  std::string rest_;
};

}  // namespace rondo::rendezvous
