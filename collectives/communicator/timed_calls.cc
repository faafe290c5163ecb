#include "collectives/communicator/timed_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "collectives/communicator/any_rank.h"
#include "collectives/select/alike.h"
#include "core/log.h"

namespace rondo::communicator {
namespace {

using algorithms::Algorithm;
using schedule::Collective;

/// Calls of an algorithm that are timed in a row, behind some that aren't: programs make the same
/// call again and again, and the first ones after another algorithm's take up to twice as long.
/// Over tcp, where ranks share cores, times settle after a dozen: 1 MiB by four ranks on two cores
/// takes 1000 us behind another algorithm and 550 a dozen calls later, bound to cores or not.
constexpr std::size_t kTurn = 6;
std::size_t most_before_turn(std::size_t bytes) {
  return bytes <= (std::size_t{1} << 20) ? 12 : bytes <= (std::size_t{4} << 20) ? 6 : 1;
}
/// Over links of 1 Gbit/s a dozen calls of 1 MiB would be a sixth of a second, each time.
constexpr double kSettlingUs = 20'000;
/// Only between these can so many calls take longer than that, and there be more than one of them.
bool may_settle_for_long(std::size_t bytes) {
  return bytes > (std::size_t{128} << 10) && most_before_turn(bytes) > 1;
}

}  // namespace

std::size_t first_of_turn(std::size_t count, std::size_t turn, std::size_t turns) {
  const std::size_t step = (count + turns - 1) / turns;
  return turn * step % count;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

TimedCalls::TimedCalls(Engine& engine, MemoryKind memory)
    : engine_(engine), input_(memory), output_(memory) {}

TimedCalls::~TimedCalls() { engine_.force({}); }

std::size_t TimedCalls::bytes_of(Collective collective, std::size_t bytes) const {
  if (collective == Collective::kBarrier) return 0;
  const auto world = static_cast<std::size_t>(engine_.place().size());
  const std::size_t unit = collective == Collective::kAllToAll ? world * world : world;
  return std::max<std::size_t>(bytes / sizeof(float) / unit, 1) * unit * sizeof(float);
}

Result<bool> TimedCalls::reserve(std::size_t bytes) {
  Status status = input_.reserve(bytes / sizeof(float));
  if (status.ok()) status = output_.reserve(bytes / sizeof(float));
  return have_all(status);
}

Result<bool> TimedCalls::has_room_for(std::size_t bytes, const Algorithm& algorithm) {
  const auto prepared = [&]() -> Status {
    RONDO_ASSIGN(const CallArguments arguments, arguments_of(algorithm.collective, bytes));
    engine_.force(algorithm.name);
    return engine_.prepare(arguments).status();
  }();
  engine_.force({});
  if (!prepared.ok() && prepared.code() != ErrorCode::kSystem) return prepared;
  return have_all(prepared);
}

/// Whether all ranks have the memory that this one has by `status`.
Result<bool> TimedCalls::have_all(const Status& status) {
  if (!status.ok()) {
    log(LogLevel::kWarn, [&] {
      return fmt::format("{} memory isn't measured: {}",
                         input_.memory() == MemoryKind::kRegistered ? "registered" : "ordinary",
                         status.message());
    });
  }
  RONDO_ASSIGN(const bool fails, any_rank(engine_, !status.ok()));
  return !fails;
}

Result<CallArguments> TimedCalls::arguments_of(Collective collective, std::size_t bytes) {
  const std::size_t all = bytes / sizeof(float);
  const std::size_t part = all / static_cast<std::size_t>(engine_.place().size());
  const bool takes_part = collective == Collective::kAllGather ||
                          collective == Collective::kGather || collective == Collective::kAllToAll;
  const bool gives_part = collective == Collective::kReduceScatter ||
                          collective == Collective::kScatter || collective == Collective::kAllToAll;
  const std::size_t input = takes_part ? part : all;
  const std::size_t output = gives_part ? part : all;
  RONDO_TRY(input_.reserve(input));
  RONDO_TRY(output_.reserve(output));
  CallArguments arguments{.collective = collective,
                          .input = {input_.data(), input, DataType::kF32},
                          .output = {output_.data(), output, DataType::kF32}};
  if (collective == Collective::kBroadcast) arguments.input = ConstBuffer(arguments.output);
  if (collective == Collective::kBarrier) return CallArguments{};
  return used_by(engine_.place().rank(), arguments);
}

Result<double> TimedCalls::time_call(const CallArguments& arguments,
                                     const std::shared_ptr<PreparedPlan>& plan) {
  using Clock = std::chrono::steady_clock;
  std::fill_n(input_.data(), arguments.input.count, 0.25F);
  std::fill_n(output_.data(), arguments.output.count, 0.5F);
  RONDO_TRY(engine_.call({}));
  const Clock::time_point begin = Clock::now();
  RONDO_TRY(engine_.call(arguments, plan));
  const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
  // Whoever goes on to write would hold up those of his core whose call hasn't ended.
  RONDO_TRY(engine_.call({}));
  return took.count();
}

Status TimedCalls::share_most(std::span<double> times) {
  const Buffer all{times.data(), times.size(), DataType::kF64};
  return engine_.call({.collective = Collective::kAllReduce,
                       .input = all,
                       .output = all,
                       .reduction = ReduceOp::kMax});
}

Result<std::vector<std::size_t>> TimedCalls::calls_before_turns(
    const CallArguments& arguments, std::span<const std::shared_ptr<PreparedPlan>> plans,
    std::size_t bytes) {
  std::vector<std::size_t> before(plans.size(), most_before_turn(bytes));
  if (!may_settle_for_long(bytes)) return before;
  std::vector<double> times(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    RONDO_ASSIGN(const double first, time_call(arguments, plans[i]));
    RONDO_ASSIGN(const double second, time_call(arguments, plans[i]));
    times[i] = std::min(first, second);
  }
  RONDO_TRY(share_most(times));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto fitting = static_cast<std::size_t>(kSettlingUs / std::max(times[i], 1.0));
    before[i] = std::clamp<std::size_t>(fitting, 1, before[i]);
  }
  return before;
}

Status TimedCalls::time_turn(const CallArguments& arguments,
                             const std::shared_ptr<PreparedPlan>& plan, std::size_t before,
                             std::span<double> times) {
  for (std::size_t call = 0; call < before; ++call) RONDO_TRY(time_call(arguments, plan).status());
  for (double& us : times) {
    RONDO_ASSIGN(us, time_call(arguments, plan));
  }
  return {};
}

Result<std::vector<std::vector<double>>> TimedCalls::run(
    std::size_t bytes, std::span<const Algorithm* const> algorithms, int rounds, const Pass& pass) {
  const Collective collective = algorithms.front()->collective;
  RONDO_ASSIGN(const CallArguments arguments,
               arguments_of(collective, bytes_of(collective, bytes)));
  std::vector<std::shared_ptr<PreparedPlan>> plans;
  for (const Algorithm* algorithm : algorithms) {
    engine_.force(algorithm->name);
    RONDO_ASSIGN(std::shared_ptr<PreparedPlan> plan, engine_.prepare(arguments));
    plans.push_back(std::move(plan));
  }
  engine_.force({});
  const std::size_t each = algorithms.size();
  const auto timed = static_cast<std::size_t>(rounds);
  std::vector<double> times(each * timed);
  RONDO_ASSIGN(const auto before, calls_before_turns(arguments, plans, bytes));
  const std::size_t turns = (timed + kTurn - 1) / kTurn;
  for (std::size_t first = 0; first < timed; first += kTurn) {
    const std::size_t before_this = pass.number * turns + first / kTurn;
    const std::size_t begin = first_of_turn(each, before_this, pass.passes * turns);
    for (std::size_t place = 0; place < each; ++place) {
      const std::size_t i = (begin + place) % each;
      const auto turn = std::span(times).subspan(i * timed + first, std::min(kTurn, timed - first));
      RONDO_TRY(time_turn(arguments, plans[i], before[i], turn));
    }
  }
  RONDO_TRY(share_most(times));
  return shared_out(times, algorithms, timed);
}

/// Each algorithm's rounds, together with those of its likes: one of each after the other, so that
/// every second round is as good as the others.
std::vector<std::vector<double>> TimedCalls::shared_out(
    std::span<const double> times, std::span<const Algorithm* const> algorithms,
    std::size_t rounds) {
  if (algorithms.size() == 1) return {{times.begin(), times.end()}};
  std::map<const Algorithm*, std::vector<double>> of_first;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < algorithms.size(); ++i)
      of_first[first_alike(algorithms[i])].push_back(times[i * rounds + round]);
  }
  std::vector<std::vector<double>> list;
  for (const Algorithm* algorithm : algorithms) list.push_back(of_first[first_alike(algorithm)]);
  return list;
}

const Algorithm* TimedCalls::first_alike(const Algorithm* algorithm) {
  if (!first_alike_.contains(algorithm)) {
    std::vector<const Algorithm*> all;
    for (const Algorithm& one : algorithms::all())
      if (one.collective == algorithm->collective) all.push_back(&one);
    const auto layout = std::make_shared<const schedule::HostLayout>(engine_.place().layout());
    const auto first = select::first_alike(all, layout);
    for (std::size_t i = 0; i < all.size(); ++i) first_alike_[all[i]] = first[i];
  }
  return first_alike_[algorithm];
}

}  // namespace rondo::communicator
