#pragma once

// The loop that Rondo and its peers are measured with: every rank rewrites its buffer, a barrier,
// the timed call; a call's time is that of its slowest rank; medians of all calls. With
// RONDO_PEERS_LATE_MS a call with a late rank goes before that; with RONDO_PEERS_IN_A_ROW there is
// no barrier, calls follow each other, each behind a rewriting, and times are means of a row; with
// RONDO_PEERS_NEW_COUNTS each call has other counts than the one before. One program for each
// library, all with the same arguments: CALL LO HI FACTOR SECONDS [registered].
// Errors: std::runtime_error.
// Threads: one.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "calls.h"

namespace bench {

/// What the loop needs of a library.
class World {
 public:
  /// Runs a call once (sum; root 0; all_reduce and broadcast in place in `output`).
  using Call = std::function<void(const Data&)>;

  virtual ~World() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Name and version of what the calls run through; empty: what is measured is no library.
  virtual std::string library() const { return {}; }
  /// Whether a call waits for the other ranks; if not, its data are nobody's business.
  virtual bool synchronises() const { return true; }
  virtual void barrier() = 0;
  /// The greatest of all ranks' values, on every rank.
  virtual void max(std::vector<double>& values) = 0;
  /// By its name (calls.h); none where the library doesn't have it.
  virtual Call call(const std::string& name) = 0;
  virtual float* allocate(std::size_t count) = 0;  ///< never freed
};

/// Prints "library,NAME AND VERSION", where it is one, and "call,bytes,median_us,p10_us" for every
/// size, on rank 0; the exit code.
int run(World& world, const std::vector<std::string>& arguments);

}  // namespace bench
