#pragma once

// What a process tells all others of a world when it joins, beside who it is: the cores it may run
// on, and the options that must be equal everywhere. Pure.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/reductions.h"
#include "core/status.h"

namespace rondo::transport {

/// One of its places' devices.
struct PlaceNote {
  std::string kind{};
  std::string device{};   ///< which one: equal texts, the same device (of one host)
  std::string library{};  ///< that does whole collectives there, with its version; empty: none
  bool sees_host_memory = false;  ///< its copies and kernels can use page-locked memory
  /// Devices of its host whose memory it can't use, as far as its process sees them.
  std::vector<std::string> unreachable{};
  bool shares_between_processes = false;  ///< other processes can get at its memory and events
  bool imports_own = false;               ///< and so can its own, by the same handles
  device::Reductions reductions{};        ///< that there are kernels for
  friend bool operator==(const PlaceNote&, const PlaceNote&) = default;
};

struct ProcessNote {
  std::vector<int> cores;
  /// Value by name, as the user knows it: {"RONDO_ALGO", "ring"}.
  std::map<std::string, std::string> options{};
  std::vector<PlaceNote> places{};  ///< in order
  std::uint64_t job = 0;            ///< drawn for all, where the launcher's could be guessed
};

/// JSON.
std::string encode(const ProcessNote& note);
/// Errors: DataLoss for text that encode didn't make.
Result<ProcessNote> decode_note(std::string_view text);

/// Mismatch where `theirs` differ from `first`, those of rank 0: names both and the option.
Status check_options(const ProcessNote& first, const ProcessNote& theirs, int their_rank);

}  // namespace rondo::transport
