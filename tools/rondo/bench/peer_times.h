#pragma once

// What the loops through Rondo and other libraries have measured in turn.
// Threads: any.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::tool {

/// How near the machine's first two cores were to each other in a round, by what "line" took then.
/// A hypervisor moves virtual cores after seconds or minutes, and short calls are twice as fast or
/// slow.
enum class Cores : std::uint8_t {
  kUnknown,  ///< "line" wasn't measured
  kOne,      ///< the two threads of one core: a line is exchanged in less than 40 ns
  kNear,     ///< less than 200 ns
  kFar,
};

const char* to_string(Cores cores);

/// "bound", "sockets" and "line" are measured so that libraries' times can be understood.
bool is_library(std::string_view name);

class PeerTimes {
 public:
  /// One line of the loops: "library,call,bytes,median_us,p10_us", "library,library,NAME AND
  /// VERSION", or "# ..." to be passed on. False where it is none of them. A round of a size begins
  /// with Rondo's.
  bool take(std::string_view line);

  /// The libraries that were measured, in the order in which they came.
  const std::vector<std::string>& libraries() const { return libraries_; }
  /// What a library says it is, with its version; empty: it is none, or hasn't said.
  std::string version(const std::string& library) const;
  /// The lines that were passed on: which peers are left out, and why.
  const std::vector<std::string>& remarks() const { return remarks_; }
  /// The median of the rounds; 0: it wasn't measured.
  double median_us(const std::string& library, std::uint64_t bytes) const;
  /// How many times as long as Rondo the peer took, round by round, sorted: what the machine does
  /// to both in a round isn't in it.
  std::vector<double> quotients(const std::string& peer, std::uint64_t bytes) const;
  std::vector<std::uint64_t> sizes() const;
  /// How many times were taken.
  int points() const { return points_; }

  /// The rounds alone in which the cores were so near to each other.
  PeerTimes where(Cores cores) const;

 private:
  /// What each library took.
  using Round = std::map<std::string, double>;

  std::vector<std::string> libraries_;
  std::map<std::string, std::string> versions_;
  std::vector<std::string> remarks_;
  std::map<std::uint64_t, std::vector<Round>> rounds_;
  int points_ = 0;
};

}  // namespace rondo::tool
