#include "collectives/algorithms/power_of_two.h"

#include <bit>

namespace rondo::algorithms {

PowerOfTwo::PowerOfTwo(int world)
    : size_(static_cast<int>(std::bit_floor(static_cast<unsigned>(world)))),
      pairs_(world - size_) {}

}  // namespace rondo::algorithms
