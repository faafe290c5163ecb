#include "tools/rondo/bench/result_check.h"

#include "tools/rondo/bench/pattern.h"

namespace rondo::tool {

std::uint64_t ResultCheck::count_wrong_elements() const {
  const std::size_t own_part = layout_.count * static_cast<std::size_t>(rank_);
  const bool is_root = rank_ == spec_.root;
  switch (spec_.collective) {
    case Collective::kAllReduce: return wrong_sums(0);
    case Collective::kReduceScatter: return wrong_sums(own_part);
    case Collective::kReduce: return is_root ? wrong_sums(0) : 0;
    case Collective::kBroadcast: return wrong_copies(spec_.root, 0);
    case Collective::kScatter: return wrong_copies(spec_.root, own_part);
    case Collective::kAllGather: return wrong_parts(layout_.count, 0);
    case Collective::kGather: return is_root ? wrong_parts(layout_.count, 0) : 0;
    case Collective::kAllToAll: {
      const std::size_t part = layout_.count / static_cast<std::size_t>(world_);
      return wrong_parts(part, part * static_cast<std::size_t>(rank_));
    }
    case Collective::kBarrier: break;
  }
  return 0;
}

std::uint64_t ResultCheck::wrong_sums(std::size_t first) const {
  const Pattern want = reduced_pattern(spec_.type, spec_.op, world_, salt_);
  return count_wrong(want, output_, layout_.output.count, first);
}

std::uint64_t ResultCheck::wrong_copies(int of, std::size_t first) const {
  const Pattern want = input_pattern(spec_.type, spec_.op, of, world_, salt_);
  return count_wrong(want, output_, layout_.output.count, first);
}

std::uint64_t ResultCheck::wrong_parts(std::size_t count, std::size_t first) const {
  std::uint64_t wrong = 0;
  const std::size_t bytes = count * size_of(spec_.type);
  for (int of = 0; of < world_; ++of) {
    const Pattern want = input_pattern(spec_.type, spec_.op, of, world_, salt_);
    wrong += count_wrong(want, output_ + static_cast<std::size_t>(of) * bytes, count, first);
  }
  return wrong;
}

}  // namespace rondo::tool
