#pragma once

// For algorithms whose steps pair ranks by the bits of their numbers: in a world that is no power
// of two the first ranks pair up, and one of each pair (the odd one) takes part for both.

#include "collectives/schedule/op.h"

namespace rondo::algorithms {

class PowerOfTwo {
 public:
  explicit PowerOfTwo(int world);

  /// Ranks that take part: the largest power of two up to the world.
  int size() const { return size_; }
  /// Whether another rank takes part for this one.
  bool is_guest(schedule::Rank rank) const { return rank < 2 * pairs_ && rank % 2 == 0; }
  /// Whether this rank takes part for another one as well.
  bool is_host(schedule::Rank rank) const { return rank < 2 * pairs_ && rank % 2 == 1; }
  /// The other rank of a pair.
  static schedule::Rank other(schedule::Rank rank) { return rank ^ 1; }
  /// Of a rank that takes part: its number among them.
  int number(schedule::Rank rank) const { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
  /// The rank with that number.
  schedule::Rank rank(int number) const {
    return number < pairs_ ? 2 * number + 1 : number + pairs_;
  }

 private:
  int size_;
  int pairs_;
};

}  // namespace rondo::algorithms
