#pragma once

// What the loops through Rondo and other libraries have measured in turn, and how many times as
// long the others take.
// Threads: any.

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/rondo/bench/report.h"

namespace rondo::tool {

/// What is measured by every library alike: f32, summed where it is combined, root 0.
struct PeerSetting {
  std::string call = "all_reduce";  ///< an operation of `rondo bench`, or "ping_pong" or "send"
  int ranks = 2;
  std::string transport = "shm";
  std::string buffers = "registered";  ///< Rondo's; the others have ordinary memory
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

  bool is_of_same_call(const PeerRatio& other) const;
};

/// The calls that a setting may have. bench/peers/calls.h says what each is.
const std::vector<std::string_view>& all_peer_calls();

class PeerTimes {
 public:
  /// One line of the loops: "library,call,bytes,median_us,p10_us", or "# ..." to be passed
  /// on. False where it is neither.
  bool take(std::string_view line);

  /// The libraries that were measured, in the order in which they came.
  const std::vector<std::string>& libraries() const { return libraries_; }
  /// The lines that were passed on: which peers are left out, and why.
  const std::vector<std::string>& remarks() const { return remarks_; }
  /// The median of the rounds; 0: it wasn't measured.
  double median_us(const std::string& library, std::uint64_t bytes) const;
  std::vector<std::uint64_t> sizes() const;

 private:
  std::vector<std::string> libraries_;
  std::vector<std::string> remarks_;
  std::map<std::pair<std::string, std::uint64_t>, std::vector<double>> medians_us_;
};

/// Of every library but "bound", which is none.
std::vector<PeerRatio> ratios_of(const PeerTimes& times, const PeerSetting& setting);

/// A row for each size: every library's median, and Rondo's ratio to the fastest of the others.
std::string ratio_table(const PeerTimes& times, const PeerSetting& setting);

/// {"environment": ..., "results": [...], "ratios": [...]}: `rondo bench report` draws it, and
/// `rondo bench compare --baseline` takes it.
nlohmann::ordered_json ratios_json(const Facts& environment, const PeerTimes& times,
                                   const PeerSetting& setting);

}  // namespace rondo::tool
