#include "tools/rondo/bench/result_check.h"

#include "tools/rondo/bench/pattern.h"

namespace rondo::tool {

std::uint64_t ResultCheck::count_wrong_elements() const {
  if (spec_.operation.sends()) return wrong_copies((rank_ + world_ - 1) % world_, 0);
  const std::size_t own_part = first_of(parts_of(spec_, world_), rank_);
  const bool is_root = rank_ == spec_.root;
  switch (spec_.operation.collective) {
    case Collective::kAllReduce: return wrong_sums(0);
    case Collective::kReduceScatter: return wrong_sums(own_part);
    case Collective::kReduce: return is_root ? wrong_sums(0) : 0;
    case Collective::kBroadcast: return wrong_copies(spec_.root, 0);
    case Collective::kScatter: return wrong_copies(spec_.root, own_part);
    case Collective::kAllGather: return wrong_parts();
    case Collective::kGather: return is_root ? wrong_parts() : 0;
    case Collective::kAllToAll: return wrong_exchange();
    case Collective::kBarrier: break;
  }
  return 0;
}

std::uint64_t ResultCheck::wrong_sums(std::size_t first) const {
  const Pattern want = reduced_pattern(spec_.type, spec_.op, world_, salt_);
  return count_wrong(want, output_, layout_.output.count, first);
}

std::uint64_t ResultCheck::wrong_copies(int of, std::size_t first) const {
  return wrong_copy(of, first, 0, layout_.output.count);
}

std::uint64_t ResultCheck::wrong_copy(int of, std::size_t first, std::size_t at,
                                      std::size_t count) const {
  const Pattern want = input_pattern(spec_.type, spec_.op, of, world_, salt_);
  return count_wrong(want, output_ + at * size_of(spec_.type), count, first);
}

std::uint64_t ResultCheck::wrong_parts() const {
  std::uint64_t wrong = 0;
  std::size_t at = 0;
  int of = 0;
  for (const std::size_t part : parts_of(spec_, world_)) {
    wrong += wrong_copy(of++, 0, at, part);
    at += part;
  }
  return wrong;
}

std::uint64_t ResultCheck::wrong_exchange() const {
  std::uint64_t wrong = 0;
  std::size_t at = 0;
  for (int of = 0; of < world_; ++of) {
    const std::vector<std::size_t> row =
        row_of(spec_.operation, spec_.bytes / size_of(spec_.type), world_, of);
    const std::size_t part = row[static_cast<std::size_t>(rank_)];
    wrong += wrong_copy(of, first_of(row, rank_), at, part);
    at += part;
  }
  return wrong;
}

}  // namespace rondo::tool
