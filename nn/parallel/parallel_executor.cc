// The door: places, their scopes and threads; splitting feeds and putting results together.

#include "rondo/nn/parallel_executor.h"

#include <utility>

#include "core/status.h"
#include "nn/parallel/check_run.h"
#include "nn/parallel/feed_split.h"
#include "nn/parallel/place.h"
#include "nn/parallel/place_threads.h"
#include "nn/parallel/training_program.h"

namespace rondo::nn {
namespace {

// What several programs on the same places share.
struct Places {
  Places(std::span<Communicator> all, Scope& first)
      : communicators(all), scopes{&first}, threads(all.size()) {
    for (std::size_t i = 1; i < all.size(); ++i) {
      owned_scopes.push_back(std::make_unique<Scope>());
      scopes.push_back(owned_scopes.back().get());
    }
  }
  std::span<Communicator> communicators;
  std::vector<Scope*> scopes;
  std::vector<std::unique_ptr<Scope>> owned_scopes;
  PlaceThreads threads;
};

void check_places(std::span<Communicator> communicators) {
  if (communicators.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "a ParallelExecutor needs a communicator");
  }
  for (const Communicator& communicator : communicators) {
    if (communicator.device().kind != DeviceKind::kHost) {
      throw Error(ErrorCode::kUnsupported, std::string("no kernels for device ") +
                                               rondo::to_string(communicator.device().kind) +
                                               " in this build; use places on Device::host()");
    }
  }
}

}  // namespace

inline namespace v1 {

class ParallelExecutor::Impl {
 public:
  Impl(ParallelJob made, std::shared_ptr<Places> places)
      : job(std::move(made)), shared(std::move(places)) {
    for (std::size_t i = 0; i < shared->communicators.size(); ++i) {
      each.push_back(std::make_unique<Place>(job, shared->communicators[i], *shared->scopes[i]));
    }
  }

  std::vector<std::vector<Tensor>> run(const Feed& feed, const std::vector<VarName>& fetch,
                                       FetchMode mode) {
    const Block& block = job.program.global_block();
    throw_if_error(check_run(block, feed, fetch, mode));
    const auto parts = value_or_throw(split_feed(block, feed, each.size()));
    std::vector<std::vector<Tensor>> results(each.size());
    shared->threads.run([&](std::size_t i) { results[i] = each[i]->run(parts[i], fetch, mode); });
    return results;
  }

  ParallelJob job;
  std::shared_ptr<Places> shared;  // by the executors of all programs on these places
  std::vector<std::unique_ptr<Place>> each;
};

ParallelExecutor::ParallelExecutor(const Program& program, const VarName& loss,
                                   std::span<Communicator> communicators,
                                   const ParallelOptions& options, Scope& scope) {
  check_places(communicators);
  Program copy = value_or_throw(training_program(program, loss.text, options.gradient_scale));
  impl_ = std::make_unique<Impl>(ParallelJob{std::move(copy), loss.text, options},
                                 std::make_shared<Places>(communicators, scope));
  impl_->shared->threads.run([this](std::size_t i) { impl_->each[i]->start(); });
}

ParallelExecutor::ParallelExecutor(const Program& program, const VarName& loss,
                                   Communicator& communicator, const ParallelOptions& options,
                                   Scope& scope)
    : ParallelExecutor(program, loss, std::span<Communicator>(&communicator, 1), options, scope) {}

ParallelExecutor::ParallelExecutor(const Program& program, const ParallelExecutor& other)
    : impl_(std::make_unique<Impl>(ParallelJob{program.clone(), {}, other.impl_->job.options},
                                   other.impl_->shared)) {}

ParallelExecutor::ParallelExecutor(ParallelExecutor&&) noexcept = default;
ParallelExecutor& ParallelExecutor::operator=(ParallelExecutor&&) noexcept = default;
ParallelExecutor::~ParallelExecutor() = default;

std::vector<Tensor> ParallelExecutor::run(const Feed& feed, const std::vector<VarName>& fetch,
                                          FetchMode mode) {
  auto results = impl_->run(feed, fetch, mode);
  if (mode == FetchMode::kMean) return std::move(results.front());
  std::vector<Tensor> merged;
  for (std::size_t i = 0; i < fetch.size(); ++i) {
    std::vector<Tensor> parts;
    for (const auto& of_place : results) parts.push_back(of_place[i]);
    merged.push_back(concatenate(parts));
  }
  return merged;
}

std::vector<std::vector<Tensor>> ParallelExecutor::run_unmerged(const Feed& feed,
                                                                const std::vector<VarName>& fetch) {
  return impl_->run(feed, fetch, FetchMode::kLocal);
}

int ParallelExecutor::place_count() const { return static_cast<int>(impl_->each.size()); }

Scope& ParallelExecutor::scope(int place) const {
  return *impl_->shared->scopes.at(static_cast<std::size_t>(place));
}

void ParallelExecutor::assign(const VarName& name, const Tensor& value) const {
  for (const Scope* scope : impl_->shared->scopes) scope->assign(name, value);
}

ExecutorStats ParallelExecutor::stats(int place) const {
  return impl_->each.at(static_cast<std::size_t>(place))->stats();
}

std::vector<std::size_t> ParallelExecutor::bucket_sizes() const {
  return impl_->each.front()->bucket_sizes();
}

}  // namespace v1
}  // namespace rondo::nn
