// What runs a plan, and how it becomes one of other counts: what depends on these is a small part
// of it, and all that a program of new counts in each call has to have made.

#include <algorithm>
#include <string_view>
#include <utility>

#include "collectives/communicator/one_exchange.h"
#include "collectives/communicator/planner.h"
#include "collectives/execute/host/bulletin_runner.h"
#include "collectives/execute/host/eager_runner.h"
#include "collectives/execute/host/move_runner.h"
#include "collectives/execute/host/one_shot_runner.h"

namespace rondo::communicator {
namespace {

using execute::BulletinRunner;
using execute::Contributions;
using execute::OneShotRunner;

/// Of all ranks' data, where they are reduced: up to here copying there and back at once beats
/// lending and storing results.
constexpr std::size_t kMostCopiedBytes = 8 * 1024;

/// The one whose messages OneShotRunner speaks too where there are no bulletins.
constexpr std::string_view kOneShot = "one_shot";

/// Of a plan that is run by one of the two.
void set_sizes(PreparedPlan& prepared, Contributions::Sizes sizes) {
  if (prepared.run_by == PreparedPlan::RunBy::kBulletins) {
    static_cast<BulletinRunner&>(*prepared.runner).set_sizes(std::move(sizes));
  } else {
    static_cast<OneShotRunner&>(*prepared.runner).set_count(sizes.count);
  }
}

}  // namespace

Result<bool> Planner::remake(PreparedPlan& old, const CallArguments& arguments) {
  if (device_.path_of(arguments) != select::DevicePath::kHost || own_schedule(arguments) != nullptr)
    return false;
  RONDO_ASSIGN(const select::Candidate chosen, choose(arguments));
  if (chosen.algorithm != old.built_in) return false;
  predict(old, chosen, arguments);
  RONDO_ASSIGN(const bool is_one_exchange, make_one_exchange(old, arguments));
  if (is_one_exchange) return true;
  if (old.plan == nullptr || old.plan->wire().format != kernels::WireFormat::kNone) return false;
  const schedule::Request request = request_of(*chosen.algorithm, arguments);
  if (request.rows != old.plan->schedule().request.rows) return false;
  RONDO_TRY(set_table(spare_table_, *chosen.algorithm, arguments, request));
  RONDO_TRY(old.plan->resize(spare_table_));
  make_runner(old, arguments);
  return true;
}

Result<bool> Planner::make_one_exchange(PreparedPlan& prepared,
                                        const CallArguments& arguments) const {
  using RunBy = PreparedPlan::RunBy;
  const algorithms::Algorithm& algorithm = *prepared.built_in;
  if (!is_one_exchange(algorithm, arguments)) return false;
  std::vector<transport::Endpoint*> endpoints;
  for (int rank = 0; rank < size(); ++rank) endpoints.push_back(mesh_.endpoint(rank));
  OneExchange exchange = one_exchange(arguments, rank(), size());
  // Alike on all ranks: on one host every pair has bulletins.
  const bool bulletins = layout_.one_host && BulletinRunner::suits(endpoints, exchange.most_bytes);
  const bool suits = bulletins || (algorithm.name == kOneShot &&
                                   OneShotRunner::suits(endpoints, bytes_of(arguments)));
  if (!suits) return false;
  const RunBy run_by = bulletins ? RunBy::kBulletins : RunBy::kOneShot;
  if (prepared.run_by == run_by) {
    set_sizes(prepared, std::move(exchange.sizes));
    return true;
  }
  RONDO_ASSIGN(const Contributions::Inputs contributions, contributions_of(arguments));
  if (bulletins) {
    prepared.runner =
        std::make_unique<BulletinRunner>(BulletinRunner::Inputs{.endpoints = std::move(endpoints),
                                                                .contributions = contributions,
                                                                .sizes = std::move(exchange.sizes),
                                                                .spare_core = spare_core_});
  } else {
    prepared.runner =
        std::make_unique<OneShotRunner>(OneShotRunner::Inputs{.endpoints = std::move(endpoints),
                                                              .contributions = contributions,
                                                              .count = exchange.sizes.count,
                                                              .spare_core = spare_core_});
  }
  prepared.run_by = run_by;
  prepared.plan = nullptr;
  return true;
}

/// But for sizes and peers.
Result<Contributions::Inputs> Planner::contributions_of(const CallArguments& arguments) const {
  Contributions::Inputs inputs{.rank = rank(),
                               .ranks = static_cast<std::size_t>(size()),
                               .element_bytes = size_of(arguments.input.dtype),
                               .divisor = divisor_of(arguments)};
  if (schedule::reduces(arguments.collective)) {
    RONDO_ASSIGN(inputs.kernel, kernel_of(arguments));
  }
  return inputs;
}

Status Planner::bind(PreparedPlan& prepared, execute::PlanInputs inputs,
                     const schedule::FoldedWorld* world, const CallArguments& arguments) {
  prepared.wire_format = kernels::to_string(inputs.wire_format);
  RONDO_ASSIGN(prepared.plan, execute::Plan::make(std::move(inputs)));
  if (!prepared.on_device) {
    make_runner(prepared, arguments);
    return {};
  }
  RONDO_ASSIGN(prepared.runner, device_.runner(*prepared.plan, *world, arguments));
  const bool by_messages = device_.path_of(arguments) == select::DevicePath::kMessages;
  prepared.moved = execute::moved_bytes(*prepared.plan, by_messages);
  return {};
}

PreparedPlan::RunBy Planner::runner_of(const execute::Plan& plan,
                                       const CallArguments& arguments) const {
  using RunBy = PreparedPlan::RunBy;
  if (!execute::EagerRunner::suits(plan)) return RunBy::kPlan;
  // Whoever only moves where others reduce lets them store their results into its memory.
  const bool is_reduced = schedule::reduces(arguments.collective);
  const bool is_long = is_reduced && bytes_of(arguments) > kMostCopiedBytes;
  if (execute::MoveRunner::only_moves(plan) && !is_long) return RunBy::kMoves;
  const auto is_lent = [](const execute::BoundSweep& sweep) {
    return sweep.bytes > execute::kMostCopiedRow;
  };
  const bool lends = is_reduced ? is_long : std::ranges::any_of(plan.lanes()[0], is_lent);
  return lends ? RunBy::kEagerLent : RunBy::kEagerCopied;
}

void Planner::make_runner(PreparedPlan& prepared, const CallArguments& arguments) const {
  using execute::EagerRunner;
  using RunBy = PreparedPlan::RunBy;
  const execute::Plan& plan = *prepared.plan;
  const RunBy before = std::exchange(prepared.run_by, runner_of(plan, arguments));
  if (prepared.run_by == before) return prepared.runner->resize();
  switch (prepared.run_by) {
    case RunBy::kMoves:
      prepared.runner = std::make_unique<execute::MoveRunner>(plan, spare_core_);
      return;
    case RunBy::kEagerCopied:
      prepared.runner =
          std::make_unique<EagerRunner>(plan, spare_core_, EagerRunner::Memory::kCopied);
      return;
    case RunBy::kEagerLent:
      prepared.runner =
          std::make_unique<EagerRunner>(plan, spare_core_, EagerRunner::Memory::kLent);
      return;
    default: prepared.runner = std::make_unique<execute::PlanRunner>(plan);
  }
}

}  // namespace rondo::communicator
