#pragma once

// The representatives' schedules, bound: channels by number, rows by bytes. Channels are FIFOs
// between a representative and the representative of its peer.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/chunk_table.h"
#include "collectives/schedule/fused_schedule.h"
#include "collectives/simulate/quotient.h"

namespace rondo::simulate {

using ChannelId = std::uint32_t;

struct Channel {
  int sender = 0;           ///< representative
  int receiver = -1;        ///< representative
  schedule::Rank to = 0;    ///< the rank that the sender sends to
  schedule::Rank from = 0;  ///< the rank that the receiver receives from
  std::uint16_t lane = 0;
};

struct BoundRank {
  schedule::FusedSchedule schedule;
  std::vector<ChannelId> channel_of;  ///< by port; of channels
};

class BoundWorld {
 public:
  BoundWorld(const schedule::FoldedWorld& world, const Quotient& quotient);

  const std::vector<BoundRank>& ranks() const { return ranks_; }
  const std::vector<Channel>& channels() const { return channels_; }
  std::uint64_t sweeps() const;

 private:
  void bind(BoundRank& rank, int representative);
  ChannelId channel(int sender, schedule::Rank to, std::uint16_t lane);

  const Quotient& quotient_;
  std::vector<BoundRank> ranks_;
  std::vector<Channel> channels_;
  std::unordered_map<std::uint64_t, ChannelId> index_;
};

}  // namespace rondo::simulate
