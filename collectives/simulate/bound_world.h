#pragma once

// The representatives' schedules, bound: channels by number, rows by bytes. Channels are FIFOs
// between a representative and the representative of its peer. Of kinds (kinds.h) there is a
// channel for each exchange: what one end sends goes into all that begin there.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/chunk_table.h"
#include "collectives/schedule/fused_schedule.h"
#include "collectives/simulate/kinds.h"
#include "collectives/simulate/quotient.h"

namespace rondo::simulate {

using ChannelId = std::uint32_t;

struct Channel {
  int sender = 0;           ///< representative
  int receiver = -1;        ///< representative
  schedule::Rank from = 0;  ///< a rank that has it: the sender, or one that it stands for,
  schedule::Rank to = 0;    ///< and whom it sends to
  std::uint16_t lane = 0;
  /// Whether the sender itself has it, and the receiver itself: otherwise only ranks that they
  /// stand for.
  bool of_sender = true;
  bool of_receiver = true;
};

struct BoundRank {
  schedule::FusedSchedule schedule;
  std::vector<ChannelId> channel_of;  ///< by port; of channels
};

class BoundWorld {
 public:
  BoundWorld(const schedule::FoldedWorld& world, const Quotient& quotient);
  /// `quotient`: of the kinds.
  BoundWorld(const Survey& survey, const Kinds& kinds, const Quotient& quotient);

  const std::vector<BoundRank>& ranks() const { return ranks_; }
  const std::vector<Channel>& channels() const { return channels_; }
  std::uint64_t sweeps() const;
  /// Channels beside this one into which the same end sends the same; out of which the same end
  /// reads the same. None without kinds.
  std::span<const ChannelId> sent_beside(ChannelId channel) const;
  std::span<const ChannelId> read_beside(ChannelId channel) const;
  /// Whether it matters to a sender of kinds when its messages are read.
  bool minds_reads() const { return minds_reads_; }
  /// Which exchange the channel belongs to.
  std::uint32_t exchange_of(ChannelId channel) const { return exchange_of_[channel]; }

 private:
  void bind(BoundRank& rank, int representative);
  ChannelId channel(int sender, schedule::Rank to, std::uint16_t lane);
  void bind(BoundRank& rank, const Survey& survey, const Kinds& kinds);
  ChannelId channel(std::uint32_t exchange, std::uint16_t lane, const Survey& survey,
                    const Kinds& kinds);

  const Quotient& quotient_;
  std::vector<BoundRank> ranks_;
  std::vector<Channel> channels_;
  std::unordered_map<std::uint64_t, ChannelId> index_;
  bool minds_reads_ = false;
  std::vector<std::uint32_t> exchange_of_;
  std::vector<std::vector<ChannelId>> sent_beside_;
  std::vector<std::vector<ChannelId>> read_beside_;
};

}  // namespace rondo::simulate
