#include "collectives/verify/mutate.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "collectives/verify/mutate_fused.h"

namespace rondo::verify {

using schedule::BufferRole;
using schedule::Op;
using schedule::OpKind;
using schedule::Rank;
using schedule::RankSchedule;
using schedule::Slice;

namespace {

struct Place {
  std::size_t rank = 0;
  std::size_t lane = 0;
  std::size_t index = 0;
};

template <typename List>
auto& pick(List& list, std::minstd_rand& random) {
  return list[random() % list.size()];
}

template <typename Predicate>
std::optional<Place> pick_op(const World& world, std::minstd_rand& random, Predicate fits) {
  std::vector<Place> places;
  for (std::size_t rank = 0; rank < world.size(); ++rank) {
    for (std::size_t lane = 0; lane < world[rank].lanes.size(); ++lane) {
      const std::vector<Op>& ops = world[rank].lanes[lane];
      for (std::size_t index = 0; index < ops.size(); ++index) {
        if (fits(ops, index)) places.push_back({rank, lane, index});
      }
    }
  }
  if (places.empty()) return std::nullopt;
  return pick(places, random);
}

bool stores(const Op& op) { return op.kind != OpKind::kSend && op.kind != OpKind::kWait; }
bool has_peer(const Op& op) {
  return op.kind == OpKind::kSend || op.kind == OpKind::kRecv || op.kind == OpKind::kRecvReduce;
}

void exchange_recv_kind(Op& op) {
  if (op.kind == OpKind::kRecv) {
    op.kind = OpKind::kRecvReduce;
    op.source = op.target;
  } else {
    op.kind = OpKind::kRecv;
  }
}

void change_row(Op& op, const RankSchedule& own, std::minstd_rand& random) {
  Slice& slice = stores(op) && random() % 2 == 0 ? op.target : op.source;
  const auto count = slice.buffer == BufferRole::kScratch
                         ? static_cast<std::uint32_t>(own.scratch_rows.size())
                         : own.request.rows;
  if (count < 2) {
    slice.buffer = slice.buffer == BufferRole::kOutput ? BufferRole::kInput : BufferRole::kOutput;
    slice.chunk = 0;
    return;
  }
  slice.chunk = (slice.chunk + 1 + static_cast<std::uint32_t>(random()) % (count - 1)) % count;
}

void change_target(Op& op, const RankSchedule& own, std::minstd_rand& random) {
  std::vector<Slice> others;
  const schedule::RowRange output = output_rows(own.request);
  for (std::uint32_t i = 0; i < output.count; ++i) {
    others.push_back({BufferRole::kOutput, output.row(i)});
  }
  for (std::uint32_t slot = 0; slot < own.scratch_rows.size(); ++slot) {
    others.push_back({BufferRole::kScratch, slot});
  }
  std::erase(others, op.target);
  op.target = others.empty() ? Slice{BufferRole::kInput, 0} : pick(others, random);
}

bool fits(Mutation mutation, const std::vector<Op>& ops, std::size_t index, std::size_t world) {
  const Op& op = ops[index];
  switch (mutation) {
    case Mutation::kSwapOps: return index + 1 < ops.size();
    case Mutation::kWrongRow: return op.kind != OpKind::kWait;
    case Mutation::kWrongPeer: return has_peer(op) && world > 2;
    case Mutation::kRecvForRecvReduce:
      return op.kind == OpKind::kRecv || op.kind == OpKind::kRecvReduce;
    case Mutation::kWrongTarget:
    case Mutation::kFlipFinal: return stores(op);
    case Mutation::kDropWait: return op.kind == OpKind::kWait;
    default: return true;
  }
}

void apply(Mutation mutation, RankSchedule& own, const Place& place, std::minstd_rand& random) {
  std::vector<Op>& ops = own.lanes[place.lane];
  const auto here = ops.begin() + static_cast<std::ptrdiff_t>(place.index);
  const int world = own.request.world;
  switch (mutation) {
    case Mutation::kDropOp:
    case Mutation::kDropWait: ops.erase(here); return;
    case Mutation::kRepeatOp: ops.insert(here, Op(*here)); return;
    case Mutation::kSwapOps: std::iter_swap(here, here + 1); return;
    case Mutation::kWrongRow: change_row(*here, own, random); return;
    case Mutation::kWrongPeer: {
      const Rank old = here->peer;
      while (here->peer == old || here->peer == own.request.rank) {
        here->peer = static_cast<Rank>(random() % static_cast<unsigned>(world));
      }
      return;
    }
    case Mutation::kRecvForRecvReduce: exchange_recv_kind(*here); return;
    case Mutation::kWrongTarget: change_target(*here, own, random); return;
    case Mutation::kFlipFinal: here->final = !here->final; return;
    case Mutation::kAddDirect:
    case Mutation::kReorderFused: return;
  }
}

}  // namespace

const char* to_string(Mutation mutation) {
  switch (mutation) {
    case Mutation::kDropOp: return "dropped op";
    case Mutation::kRepeatOp: return "repeated op";
    case Mutation::kSwapOps: return "swapped ops";
    case Mutation::kWrongRow: return "wrong row";
    case Mutation::kWrongPeer: return "wrong peer";
    case Mutation::kRecvForRecvReduce: return "recv for recv_reduce";
    case Mutation::kWrongTarget: return "wrong target";
    case Mutation::kFlipFinal: return "flipped final";
    case Mutation::kDropWait: return "dropped wait";
    case Mutation::kAddDirect: return "unproved direct store";
    case Mutation::kReorderFused: return "reordered sweep";
  }
  return "unknown mutation";
}

FusedWorld mutate(const World& world, Mutation mutation, std::minstd_rand& random) {
  if (is_of_fused(mutation)) return mutate_fused(world, mutation, random);
  const auto place = pick_op(world, random, [&](const std::vector<Op>& ops, std::size_t index) {
    return fits(mutation, ops, index, world.size());
  });
  if (!place) return {};
  World mutant = world;
  apply(mutation, mutant[place->rank], *place, random);
  FusedWorld lowered;
  for (const RankSchedule& own : mutant) lowered.push_back(schedule::lower(own));
  return lowered;
}

}  // namespace rondo::verify
