#include "tools/rondo/bench/rank_times.h"

namespace rondo::tool {

void combine_over_ranks(Communicator& communicator, TimeOf time_of, std::vector<double>& times_us) {
  const Buffer times{times_us.data(), times_us.size(), DataType::kF64};
  switch (time_of) {
    case TimeOf::kFirstRank: return communicator.broadcast(times, 0);
    case TimeOf::kMean: return communicator.all_reduce(times, ReduceOp::kAvg);
    case TimeOf::kFastestRank: return communicator.all_reduce(times, ReduceOp::kMin);
    case TimeOf::kSlowestRank: return communicator.all_reduce(times, ReduceOp::kMax);
  }
}

}  // namespace rondo::tool
