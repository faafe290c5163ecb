#pragma once

// The loop that Rondo and its peers are measured with: every rank rewrites its buffer, a barrier,
// the timed call; a call's time is that of its slowest rank; medians of all calls. One program for
// each library, all with the same arguments: COLLECTIVE LO HI FACTOR SECONDS [registered].
// Errors: std::runtime_error.
// Threads: one.

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// Float32 data of one call; `total` elements where a rank has all parts, `part` where it has one.
struct Data {
  float* input = nullptr;
  float* output = nullptr;
  std::size_t total = 0;
  std::size_t part = 0;
};

/// What the loop needs of a library.
class World {
 public:
  virtual ~World() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Whether a call waits for the other ranks; if not, its data are nobody's business.
  virtual bool synchronises() const { return true; }
  virtual void barrier() = 0;
  /// The greatest of all ranks' values, on every rank.
  virtual void max(std::vector<double>& values) = 0;
  /// Runs a collective once (sum; root 0; all_reduce and broadcast in place in `output`); false if
  /// the library doesn't have it.
  virtual bool call(const std::string& collective, const Data& data) = 0;
  virtual float* allocate(std::size_t count) = 0;  ///< never freed
};

/// Prints "collective,bytes,median_us,p10_us" for every size on rank 0; the exit code.
int run(World& world, const std::vector<std::string>& arguments);

}  // namespace bench
