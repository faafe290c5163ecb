#pragma once

// What every rank of a world does, without keeping its schedule: the shape of it, and with whom.
// Two ranks of one shape do the same with other peers and other rows; whether they do it at the
// same times is for the simulation to say (kinds.h).

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/chunk_table.h"
#include "collectives/schedule/fold.h"

namespace rondo::simulate {

class Survey {
 public:
  /// Builds each rank's schedule once and keeps `build`. Rows of one size are alike.
  Survey(schedule::BuildSchedule build, int world, const schedule::ChunkTable& table);

  schedule::Collective collective() const { return collective_; }
  int world() const { return static_cast<int>(shapes_.size()); }
  std::uint32_t rows() const { return rows_; }
  schedule::RankSchedule schedule_of(schedule::Rank rank) const { return build_(rank); }
  /// Equal for ranks whose ops differ by nothing but the names of peers and of rows (64 bits of it:
  /// two shapes in a world of a million pass for one with a chance of one in ten million).
  std::uint64_t shape(schedule::Rank rank) const { return shapes_[at(rank)]; }
  std::uint64_t ops() const { return ops_; }  ///< of all ranks
  /// Whether any rank waits until what it sent has been read.
  bool has_waits() const { return has_waits_; }

  /// A pair of ranks that exchange messages, as one of them sees it. Those of a rank stand in the
  /// order in which it first names them, and those of all ranks behind each other.
  std::uint32_t first_pair(schedule::Rank rank) const { return first_pair_[at(rank)]; }
  std::uint32_t pairs() const { return static_cast<std::uint32_t>(peers_.size()); }
  schedule::Rank peer(std::uint32_t pair) const { return peers_[pair]; }
  /// The same pair as the peer sees it.
  std::uint32_t turned(std::uint32_t pair) const { return turned_[pair]; }
  /// The pair of `rank` and `peer`; pairs() where `rank` doesn't name `peer`.
  std::uint32_t pair_of(schedule::Rank rank, schedule::Rank peer) const;
  /// Whether all pairs are named by both.
  bool is_mutual() const { return is_mutual_; }

 private:
  static std::size_t at(schedule::Rank rank) { return static_cast<std::size_t>(rank); }
  void turn_pairs();

  schedule::BuildSchedule build_;
  schedule::Collective collective_ = schedule::Collective::kAllReduce;  ///< all ranks'
  std::uint32_t rows_;
  std::vector<std::uint64_t> shapes_;
  std::vector<std::uint32_t> first_pair_;  ///< one more than ranks
  std::vector<schedule::Rank> peers_;
  std::vector<std::uint32_t> by_peer_;  ///< each rank's pairs, in the order of their peers
  std::vector<std::uint32_t> turned_;
  std::uint64_t ops_ = 0;
  bool is_mutual_ = true;
  bool has_waits_ = false;
};

}  // namespace rondo::simulate
