#include "tools/rondo/verify_worlds.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tools/rondo/freed_memory.h"

namespace rondo::tool {
namespace {

void add(const VerifiedAlgorithm& row, VerifiedAlgorithm& sum) {
  sum.worlds += row.worlds;
  sum.schedules += row.schedules;
  sum.sweeps += row.sweeps;
  sum.direct_stores += row.direct_stores;
  sum.least_credits = std::max(sum.least_credits, row.least_credits);
}

void add(const VerifiedMutants& row, VerifiedMutants& sum) {
  sum.mutants += row.mutants;
  sum.caught += row.caught;
  sum.equivalent += row.equivalent;
  sum.sampled += row.sampled;
  sum.missed += row.missed;
}

/// Every world has the same rows in the same order, or none.
template <typename Row>
void add_all(const std::vector<Row>& rows, std::vector<Row>& sums) {
  if (sums.empty()) {
    sums = rows;
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) add(rows[i], sums[i]);
}

/// The worlds' proofs, each by whichever thread is free.
class Proofs {
 public:
  Proofs(const WorldRange& worlds, bool mutants, Coverage coverage,
         const std::function<void(int world)>& before_world)
      : worlds_(worlds),
        mutants_(mutants),
        coverage_(coverage),
        before_world_(before_world),
        next_(worlds.first),
        reports_(index_of(worlds.last) + 1) {}

  void run(unsigned threads) {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([this] { prove_worlds(); });
    prove_worlds();
  }

  /// Up to the first world in which something is wrong.
  VerifyReport sum() const {
    VerifyReport sum;
    sum.ok = true;
    for (auto report = reports_.begin(); report != reports_.end() && sum.ok; ++report) {
      sum.ok = report->ok;
      sum.error = report->error;
      add_all(report->algorithms, sum.algorithms);
      add_all(report->mutants, sum.mutants);
    }
    return sum;
  }

 private:
  void prove_worlds() {
    while (const std::optional<int> world = take()) {
      VerifyReport report = verify_built_in(*world, *world, mutants_, coverage_);
      if (!report.ok) failed_ = true;
      reports_[index_of(*world)] = std::move(report);
    }
  }

  // In ascending order: those before the first wrong one have all been begun.
  std::optional<int> take() {
    const std::lock_guard lock(mutex_);
    if (next_ > worlds_.last || failed_) return std::nullopt;
    before_world_(next_);
    return std::exchange(next_, next_ + worlds_.step);
  }

  std::size_t index_of(int world) const {
    return static_cast<std::size_t>((world - worlds_.first) / worlds_.step);
  }

  const WorldRange worlds_;
  const bool mutants_;
  const Coverage coverage_;
  const std::function<void(int world)>& before_world_;
  std::mutex mutex_;
  int next_;
  std::atomic<bool> failed_ = false;
  std::vector<VerifyReport> reports_;  ///< each written by one thread
};

}  // namespace

VerifyReport verify_worlds(const WorldRange& worlds, bool mutants, Coverage coverage,
                           const std::function<void(int world)>& before_world) {
  keep_freed_memory();
  Proofs proofs(worlds, mutants, coverage, before_world);
  proofs.run(std::max(1U, std::thread::hardware_concurrency()));
  return proofs.sum();
}

}  // namespace rondo::tool
