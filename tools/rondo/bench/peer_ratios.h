#pragma once

// How many times as long as Rondo other libraries take.
// Threads: any.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/rondo/bench/peer_times.h"
#include "tools/rondo/bench/report.h"

namespace rondo::tool {

/// Behind a barrier each. Others say what is different: "calls in a row", "behind 30 ms".
inline constexpr const char* kCallsApart = "apart";
inline constexpr const char* kCallsInARow = "calls in a row";

/// What is measured by every library alike: f32, summed where it is combined, root 0.
struct PeerSetting {
  std::string call = "all_reduce";  ///< an operation of `rondo bench`, or "ping_pong" or "send"
  int ranks = 2;
  std::string transport = "shm";
  std::string buffers = "registered";  ///< Rondo's; the others have ordinary memory
  std::string calls = kCallsApart;
};

/// A peer's time over Rondo's: above 1 Rondo is faster.
struct PeerRatio {
  std::string peer;
  std::string collective;
  std::uint64_t bytes = 0;
  std::string transport;
  int ranks = 0;
  std::string buffers;
  double ratio = 0;
  std::string calls = kCallsApart;

  bool is_of_same_call(const PeerRatio& other) const;
};

/// The calls that a setting may have. bench/peers/calls.h says what each is.
const std::vector<std::string_view>& all_peer_calls();

/// Of every library. Each is the median of the rounds'.
std::vector<PeerRatio> ratios_of(const PeerTimes& times, const PeerSetting& setting);

/// A row for each size, and for each place of the cores that there was a round with: every
/// library's median, Rondo's ratio to the fastest of the others, and the least and most of that in
/// the rounds.
std::string ratio_table(const PeerTimes& times, const PeerSetting& setting);

/// {"environment": ..., "results": [...], "ratios": [...]}: `rondo bench report` draws it, and
/// `rondo bench compare --baseline` takes it.
nlohmann::ordered_json ratios_json(const Facts& environment, const PeerTimes& times,
                                   const PeerSetting& setting);

}  // namespace rondo::tool
