#include "bindings/c/given_world.h"

#include <fmt/format.h>

#include "rondo/error.h"

namespace rondo::c {

void check_given_world(const PlanQuestion& question) {
  const PlanQuestion unsaid;
  const bool is_unsaid =
      question.hosts == unsaid.hosts && question.ranks_per_host == unsaid.ranks_per_host;
  if (question.network.empty() || !is_unsaid) return;
  // What is the least to answer, in a large world too, and tells how large that is.
  PlanQuestion barrier{.collective = Collective::kBarrier};
  barrier.network = question.network;
  barrier.algorithm = "dissemination";
  const PlanReport world = explain_plan(barrier);
  if (world.hosts == question.hosts && world.ranks == question.hosts * question.ranks_per_host)
    return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{} hosts of {} ranks: {} describes {} ranks on {} hosts; expected the "
                          "same, or 0 and 0",
                          question.hosts, question.ranks_per_host, question.network_name,
                          world.ranks, world.hosts));
}

}  // namespace rondo::c
