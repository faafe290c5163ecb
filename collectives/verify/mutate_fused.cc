#include "collectives/verify/mutate_fused.h"

#include <utility>

#include "collectives/schedule/fuse.h"

namespace rondo::verify {

using schedule::BufferRole;
using schedule::FusedSchedule;
using schedule::Port;
using schedule::Rank;
using schedule::Slice;
using schedule::Sweep;

namespace {

template <typename List>
auto& pick(List& list, std::minstd_rand& random) {
  return list[random() % list.size()];
}

/// The slice that the nth message from `sender` to `own` on `lane` is received into, or any.
Slice slice_of_message(const FusedSchedule& own, Rank sender, std::size_t lane, std::size_t nth) {
  for (const Sweep& sweep : own.lanes[lane]) {
    for (std::uint32_t i = 0; i < sweep.source_count; ++i) {
      const Port& port = own.ports[sweep.first_source + i];
      if (!port.is_channel() || port.peer != sender || nth-- != 0) continue;
      for (std::uint32_t j = 0; j < sweep.target_count; ++j) {
        const Port& target = own.ports[sweep.first_target + j];
        if (!target.is_channel()) return target.slice;
      }
    }
  }
  return {BufferRole::kOutput, output_rows(own.request).begin};
}

struct Message {
  Port* port;
  Rank sender;
  std::size_t lane;
  std::size_t nth;  ///< of its channel
};

bool add_direct(FusedWorld& world, std::minstd_rand& random) {
  std::vector<Message> candidates;
  for (FusedSchedule& own : world) {
    for (std::size_t lane = 0; lane < own.lanes.size(); ++lane) {
      std::vector<std::size_t> sent(world.size(), 0);
      for (const Sweep& sweep : own.lanes[lane]) {
        for (std::uint32_t i = 0; i < sweep.target_count; ++i) {
          Port& port = own.ports[sweep.first_target + i];
          if (!port.is_channel()) continue;
          const std::size_t nth = sent[static_cast<std::size_t>(port.peer)]++;
          if (!port.direct) candidates.push_back({&port, own.request.rank, lane, nth});
        }
      }
    }
  }
  if (candidates.empty()) return false;
  const Message& message = pick(candidates, random);
  message.port->direct = true;
  message.port->slice = slice_of_message(world[static_cast<std::size_t>(message.port->peer)],
                                         message.sender, message.lane, message.nth);
  return true;
}

bool reorder_fused(FusedWorld& world, std::minstd_rand& random) {
  FusedSchedule& own = pick(world, random);
  std::vector<Sweep>& lane = pick(own.lanes, random);
  if (lane.empty()) return false;
  const std::size_t index = random() % lane.size();
  Sweep& sweep = lane[index];
  const auto source = [&](std::size_t i) -> Port& { return own.ports[sweep.first_source + i]; };
  switch (random() % 3) {
    case 0: {
      if (sweep.source_count < 3) return false;
      const std::size_t i = random() % (sweep.source_count - 1);
      std::swap(source(i), source(i + 1));
      return true;
    }
    case 1:
      if (index + 1 == lane.size()) return false;
      std::swap(lane[index], lane[index + 1]);
      return true;
    default:
      if (sweep.target_count < 2) return false;
      // The first or the last target goes.
      if (random() % 2 == 0) ++sweep.first_target;
      --sweep.target_count;
      return true;
  }
}

}  // namespace

FusedWorld mutate_fused(const World& world, Mutation mutation, std::minstd_rand& random) {
  constexpr int kTries = 16;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    FusedWorld fused = schedule::fuse_world(world);
    const bool done =
        mutation == Mutation::kAddDirect ? add_direct(fused, random) : reorder_fused(fused, random);
    if (done) return fused;
  }
  return {};
}

}  // namespace rondo::verify
