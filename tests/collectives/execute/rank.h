#pragma once

// One rank of a world of places of this process, that runs an all-reduce by whichever runner it is
// told to.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/execute/host/bulletin_runner.h"
#include "collectives/execute/host/eager_runner.h"
#include "collectives/execute/host/one_shot_runner.h"
#include "collectives/execute/host/plan_runner.h"
#include "collectives/schedule/fuse.h"
#include "core/dtype.h"
#include "tests/collectives/execute/connected_rank.h"
#include "transport/shm/registered_pool.h"

namespace rondo::execute {

/// The registered ones have their data in registered memory.
/// kBulletins: one-shot's, on all ranks or none.
/// kLendingEager: lends nothing, for its data is private, but lets results be written back.
enum class Path {
  kPlan,
  kOneShot,
  kBulletins,
  kEager,
  kLendingEager,
  kRegisteredPlan,
  kRegisteredEager
};

inline bool is_registered(Path path) {
  return path == Path::kRegisteredPlan || path == Path::kRegisteredEager;
}

struct AllReduce {
  int rank = 0;
  int world = 1;
  DataType type = DataType::kF32;
  ReduceOp op = ReduceOp::kSum;
};

/// All that a plan is bound to but endpoints and the length of segments; scratch on the heap.
inline PlanInputs all_reduce_inputs(const AllReduce& call, std::size_t count,
                                    std::string_view name) {
  const auto* algorithm = algorithms::find(schedule::Collective::kAllReduce, name);
  const auto build = [call, algorithm, count](int rank) {
    schedule::Request request{.world = call.world, .rank = rank};
    request.rows = algorithm->rows(request, count);
    return algorithm->build(request);
  };
  PlanInputs inputs;
  const auto world = std::make_shared<const schedule::FoldedWorld>(schedule::fuse_folded(build));
  inputs.schedule = unfold(*world, call.rank);
  inputs.table = schedule::ChunkTable::equal(count, inputs.schedule.request.rows);
  inputs.element_bytes = size_of(call.type);
  inputs.kernel = kernels::find_reduce_kernel(DeviceKind::kHost, call.type, call.op).value();
  inputs.divisor = call.op == ReduceOp::kAvg ? call.world : 1;
  inputs.scratch_rows_of = [world](int peer) { return scratch_rows(*world, peer); };
  inputs.allocate_scratch = [](std::size_t bytes) {
    return Result<std::shared_ptr<std::byte[]>>(std::shared_ptr<std::byte[]>(new std::byte[bytes]));
  };
  return inputs;
}

/// One rank of a world of places of this process.
class Rank : public ConnectedRank {
 public:
  using ConnectedRank::ConnectedRank;
  bool suits(std::size_t bytes) const { return OneShotRunner::suits(endpoints(), bytes); }
  bool suits_bulletins(std::size_t bytes) const {
    return BulletinRunner::suits(endpoints(), bytes);
  }
  /// By bulletins: takes parts of ranks' `data`. Where given, ranks contribute so many bytes each.
  Status gather(const std::vector<float>& data, std::vector<Contributions::Part> parts,
                std::vector<float>& gathered, std::vector<std::size_t> contributed_bytes = {}) {
    BulletinRunner runner({.endpoints = endpoints(),
                           .contributions = contributions(sizeof(float)),
                           .sizes = {.count = data.size(),
                                     .gathered = std::move(parts),
                                     .contributed_bytes = std::move(contributed_bytes)}});
    const transport::Call call{++sequence_, 1, {.collective = 3, .count = data.size()}};
    auto* input = reinterpret_cast<std::byte*>(const_cast<float*>(data.data()));  // only read
    auto* output = reinterpret_cast<std::byte*>(gathered.data());
    return run_either_way(runner, call, {input, output});
  }
  /// One that is kept from call to call, and takes all of all ranks' contributions, of so many
  /// bytes each, where ranks share cores.
  std::unique_ptr<Runner> gatherer_on_shared_core(std::vector<std::size_t> contributed_bytes) {
    std::vector<Contributions::Part> parts;
    for (std::size_t rank = 0; rank < contributed_bytes.size(); ++rank)
      parts.push_back({static_cast<int>(rank), 0, contributed_bytes[rank]});
    return std::make_unique<BulletinRunner>(BulletinRunner::Inputs{
        .endpoints = endpoints(),
        .contributions = contributions(1),
        .sizes = {.gathered = std::move(parts), .contributed_bytes = std::move(contributed_bytes)},
        .spare_core = false});
  }
  Status run(Runner& gatherer, std::vector<float>& data, std::vector<float>& gathered,
             std::int64_t timeout_ms = 20'000) {
    const transport::Call call{++sequence_, 1, {.collective = 3, .count = gathered.size()}};
    auto* const output = reinterpret_cast<std::byte*>(gathered.data());
    return run_either_way(gatherer, call, {reinterpret_cast<std::byte*>(data.data()), output},
                          timeout_ms);
  }
  /// By bulletins.
  Status barrier() {
    BulletinRunner runner({.endpoints = endpoints(), .contributions = contributions(1)});
    const transport::Call call{++sequence_, 1, {.collective = 2}};
    return run_either_way(runner, call, {});
  }
  /// Of floats, or of the bits of bf16.
  template <class T>
  Status all_reduce(std::vector<T>& data, ReduceOp op, Path path,
                    std::string_view algorithm = "one_shot") {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::uint16_t>);
    type_ = std::is_same_v<T, float> ? DataType::kF32 : DataType::kBF16;
    const bool one_shot = path == Path::kOneShot || path == Path::kBulletins;
    const auto runner = one_shot ? one_shot_runner(data.size(), op, path == Path::kBulletins)
                                 : plan_runner(data.size(), op, algorithm, path);
    auto* bytes = reinterpret_cast<std::byte*>(data.data());
    const transport::Call call{++sequence_, 1, {.collective = 1, .count = data.size()}};
    if (!is_registered(path)) return run_timed(*runner, call, {bytes, bytes});
    transport::RegisteredPool* const pool = transport::RegisteredPool::instance().value();
    const std::size_t size = data.size() * sizeof(T);
    std::byte* const lent = pool->allocate(size + 1).value();
    std::copy_n(bytes, size, lent);
    Status status = run_timed(*runner, call, {lent, lent});
    std::copy_n(lent, size, bytes);
    std::fill_n(lent, size, std::byte{0xFF});  // nobody may read it any more
    pool->free(lent);
    return status;
  }
  /// Of an all-reduce of so many floats, copied.
  HeadStart head_start(std::size_t count, std::string_view algorithm, bool spare_core) {
    const auto planned = plan_runner(count, ReduceOp::kSum, algorithm, Path::kEager);
    const EagerRunner eager(*plan_, spare_core);
    return static_cast<const Runner&>(eager).head_start();
  }
  /// Of the last all_reduce.
  const trace::CallRecord& record() const { return timer_.record(); }
  /// See transport::Endpoint.
  Ticks copying_since(int peer) const { return transport_->endpoint(peer)->copying_since(0); }

 private:
  /// Half of the calls as blocking ones are made, the others as those that are started; ranks
  /// differ.
  bool is_started(const transport::Call& call) const {
    return (call.sequence + static_cast<std::uint64_t>(rank_)) % 2 == 0;
  }
  Status run_either_way(Runner& runner, const transport::Call& call, const Operands& operands,
                        std::int64_t timeout_ms = 20'000) {
    const RunContext context{rank_, waiter_.get(), {}, timeout_ms};
    if (is_started(call)) return runner.run(call, operands, context);
    Status status = runner.send_first(call, operands);
    if (status.ok() && runner.end_at_once(status, rank_)) return status;
    waiter_->restart();
    Run run(runner, call);
    if (status.ok()) status = run.drive(context);
    return run.end(std::move(status), rank_);
  }
  Status run_timed(Runner& runner, const transport::Call& call, Operands operands) {
    timer_.begin({}, ticks_now(), ticks_now());
    Status status = begin(runner, call, operands);
    waiter_->restart();
    Run run(runner, call, &timer_);
    if (status.ok()) status = run.drive({rank_, waiter_.get(), {}, 20'000});
    status = runner.end(std::move(status), rank_);
    timer_.end();
    return status;
  }
  Status begin(Runner& runner, const transport::Call& call, Operands& operands) {
    if (!is_started(call) && runner.head_start() != HeadStart::kNone) {
      Status status = runner.send_first(call, operands);
      operands.timer = &timer_;
      return status;
    }
    operands.timer = &timer_;
    runner.begin(call, operands);
    return {};
  }
  kernels::ReduceKernel kernel(ReduceOp op) const {
    return kernels::find_reduce_kernel(DeviceKind::kHost, type_, op).value();
  }
  std::vector<transport::Endpoint*> endpoints() const {
    std::vector<transport::Endpoint*> list;
    for (int peer = 0; peer < world_; ++peer) list.push_back(transport_->endpoint(peer));
    return list;
  }
  Contributions::Inputs contributions(std::size_t element_bytes) const {
    return {
        .rank = rank_, .ranks = static_cast<std::size_t>(world_), .element_bytes = element_bytes};
  }
  std::unique_ptr<Runner> one_shot_runner(std::size_t count, ReduceOp op, bool bulletins) {
    const std::size_t bytes = count * size_of(type_);
    EXPECT_TRUE(bulletins ? suits_bulletins(bytes) : suits(bytes));
    Contributions::Inputs inputs = contributions(size_of(type_));
    inputs.kernel = kernel(op);
    inputs.divisor = divisor(op);
    if (!bulletins)
      return std::make_unique<OneShotRunner>(
          OneShotRunner::Inputs{.endpoints = endpoints(), .contributions = inputs, .count = count});
    return std::make_unique<BulletinRunner>(BulletinRunner::Inputs{
        .endpoints = endpoints(), .contributions = inputs, .sizes = {.count = count}});
  }
  std::unique_ptr<Runner> plan_runner(std::size_t count, ReduceOp op, std::string_view name,
                                      Path path) {
    PlanInputs inputs = all_reduce_inputs({rank_, world_, type_, op}, count, name);
    inputs.endpoint_of = [this](int peer) { return transport_->endpoint(peer); };
    inputs.segment_bytes = transport::ShmOptions().slot_bytes;
    plan_ = Plan::make(std::move(inputs)).value();
    if (path == Path::kPlan || path == Path::kRegisteredPlan)
      return std::make_unique<PlanRunner>(*plan_);
    EXPECT_TRUE(EagerRunner::suits(*plan_)) << name;
    using Memory = EagerRunner::Memory;
    const bool spare_core = world_ <= 3;
    return std::make_unique<EagerRunner>(*plan_, spare_core,
                                         path == Path::kEager ? Memory::kCopied : Memory::kLent);
  }
  int divisor(ReduceOp op) const { return op == ReduceOp::kAvg ? world_ : 1; }

  DataType type_ = DataType::kF32;
  std::unique_ptr<Plan> plan_;
  std::uint64_t sequence_ = 0;
  trace::CallTimer timer_;
};

}  // namespace rondo::execute
