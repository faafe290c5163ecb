#pragma once

// How fast a world is beside its tuning. A tuning is measured once, but the same hosts are faster
// and slower from day to day: hypervisors move virtual cores nearer to each other and apart, other
// programs come and go. A value; threads: any.

#include <cstddef>
#include <vector>

#include "rondo/memory_kind.h"

namespace rondo::select {

struct Pace {
  struct Point {
    std::size_t bytes = 0;
    double ratio = 1;  ///< so many times as long as by the tuning
  };
  std::vector<Point> ordinary;    ///< by ascending bytes; none: as by the tuning
  std::vector<Point> registered;  ///< on registered memory; none: as on ordinary memory

  /// Of calls of so many bytes: between points by the logarithms of both, beyond them as at the
  /// nearest.
  double at(std::size_t bytes, MemoryKind memory) const;
};

}  // namespace rondo::select
