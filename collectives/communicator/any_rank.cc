#include "collectives/communicator/any_rank.h"

#include <cstdint>

namespace rondo::communicator {

Result<bool> any_rank(Engine& engine, bool here) {
  std::uint8_t any = here ? 1 : 0;
  const Buffer all{&any, 1, DataType::kU8};
  RONDO_TRY(engine.call({.collective = schedule::Collective::kAllReduce,
                         .input = all,
                         .output = all,
                         .reduction = ReduceOp::kMax}));
  return any != 0;
}

}  // namespace rondo::communicator
