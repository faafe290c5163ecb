#include "collectives/communicator/timed_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>

namespace rondo::communicator {
namespace {

using algorithms::Algorithm;
using schedule::Collective;

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void PagedFloats::Free::operator()(float* data) const { std::free(data); }

Status PagedFloats::reserve(std::size_t count) {
  constexpr std::size_t kPage = 4096;
  if (count <= count_) return {};
  const std::size_t bytes = (count * sizeof(float) + kPage - 1) / kPage * kPage;
  data_.reset(static_cast<float*>(std::aligned_alloc(kPage, bytes)));
  count_ = data_ == nullptr ? 0 : count;
  if (data_ != nullptr) return {};
  return {ErrorCode::kSystem, fmt::format("no memory for {} bytes to be timed with", bytes)};
}

TimedCalls::TimedCalls(Engine& engine) : engine_(engine) {}

TimedCalls::~TimedCalls() { engine_.force({}); }

std::size_t TimedCalls::bytes_of(Collective collective, std::size_t bytes) const {
  if (collective == Collective::kBarrier) return 0;
  const auto world = static_cast<std::size_t>(engine_.place().size());
  const std::size_t unit = collective == Collective::kAllToAll ? world * world : world;
  return std::max<std::size_t>(bytes / sizeof(float) / unit, 1) * unit * sizeof(float);
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
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

Result<std::vector<std::vector<double>>> TimedCalls::run(
    std::size_t bytes, std::span<const Algorithm* const> algorithms, int rounds) {
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
  // The first round touches memory for the first time and doesn't count.
  for (std::size_t round = 0; round <= timed; ++round) {
    for (std::size_t i = 0; i < each; ++i) {
      RONDO_ASSIGN(const double us, time_call(arguments, plans[i]));
      if (round > 0) times[i * timed + round - 1] = us;
    }
  }
  RONDO_TRY(engine_.call({.collective = Collective::kAllReduce,
                          .input = {times.data(), times.size(), DataType::kF64},
                          .output = {times.data(), times.size(), DataType::kF64},
                          .reduction = ReduceOp::kMax}));
  std::vector<std::vector<double>> by_algorithm;
  for (std::size_t i = 0; i < each; ++i) {
    const auto first = times.begin() + static_cast<std::ptrdiff_t>(i * timed);
    by_algorithm.emplace_back(first, first + rounds);
  }
  return by_algorithm;
}

}  // namespace rondo::communicator
