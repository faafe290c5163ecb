// What calls through the C interface cost over the same ones of the C++ one: an 8-byte all-reduce,
// by its function, as a struct, started and waited for, and an all-gather of parts whose sizes are
// given; by turns, medians of many short rounds. Both worlds are made anew every few rounds, in
// turns the one or the other first: where their memory lies decides more than the interface does.
// Alone it is a world of 1; under `rondo run -n 2` the ranks share memory.
//
//   c_abi_cost [ROUNDS] [LIMIT_NS]      fails where it costs more

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rondo/communicator.h"
#include "rondo/error.h"
#include "rondo/rondo.h"

namespace {

constexpr int kCalls = 2000;
constexpr int kRoundsOfAWorld = 10;

/// The same call both ways.
struct Case {
  const char* name;
  std::function<void()> through_cxx;
  std::function<void()> through_c;
};

template <typename Call>
double ns_per_call(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) call();
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return time.count() / kCalls;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void check(rondo_status status) {
  if (status != RONDO_OK) throw std::runtime_error(rondo_last_error()->message);
}

/// One rank's two handles of the same ranks, and its data.
class Calls {
 public:
  explicit Calls(bool c_first) {
    if (c_first) check(rondo_create(nullptr, &handle_));
    communicator_.emplace(rondo::Communicator::create());
    if (!c_first) check(rondo_create(nullptr, &handle_));
    counts_.assign(static_cast<std::size_t>(communicator_->size()), 1);
    gathered_.resize(counts_.size());
    sum_ = rondo::Call::all_reduce({&value_, 1});
    parts_ = rondo::Call::all_gather_v({&value_, 1}, {gathered_.data(), gathered_.size()}, counts_);
    c_sum_.kind = RONDO_ALL_REDUCE;
    c_sum_.type = RONDO_F64;
    c_sum_.input = c_sum_.output = &value_;
    c_sum_.input_count = c_sum_.output_count = 1;
    c_parts_ = c_sum_;
    c_parts_.kind = RONDO_ALL_GATHER;
    c_parts_.output = gathered_.data();
    c_parts_.output_count = gathered_.size();
    c_parts_.output_counts = counts_.data();
  }
  ~Calls() { rondo_destroy(handle_); }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  const rondo::Communicator& communicator() const { return *communicator_; }

  std::vector<Case> cases() {
    return {
        {"all_reduce",
         [this] {
           communicator_->all_reduce({&value_, 1}, rondo::ReduceOp::kMax);
         },
         [this] { check(rondo_all_reduce(handle_, &value_, &value_, 1, RONDO_F64, RONDO_MAX)); }},
        {"run", [this] { communicator_->run(sum_); },
         [this] { check(rondo_run(handle_, &c_sum_)); }},
        {"start and wait", [this] { communicator_->start(sum_).wait(); },
         [this] {
           rondo_work* work = nullptr;
           check(rondo_start(handle_, &c_sum_, &work));
           check(rondo_work_wait(work));
           check(rondo_work_release(work));
         }},
        {"all_gather_v", [this] { communicator_->run(parts_); },
         [this] { check(rondo_run(handle_, &c_parts_)); }},
    };
  }

 private:
  std::optional<rondo::Communicator> communicator_;
  rondo_communicator* handle_ = nullptr;
  double value_ = 0;
  std::vector<std::size_t> counts_;
  std::vector<double> gathered_;
  rondo::Call sum_, parts_;
  rondo_call c_sum_ = RONDO_CALL_INIT;
  rondo_call c_parts_ = RONDO_CALL_INIT;
};

/// Of one case, in ns a call, by round.
struct Times {
  const char* name = nullptr;
  std::vector<double> through_cxx, through_c;

  void measure(const Case& calls) {
    name = calls.name;
    // A core that changes its speed changes both of a round alike.
    const bool c_first = through_c.size() % 2 != 0;
    if (c_first) through_c.push_back(ns_per_call(calls.through_c));
    through_cxx.push_back(ns_per_call(calls.through_cxx));
    if (!c_first) through_c.push_back(ns_per_call(calls.through_c));
  }
  /// What C's way takes longer: the median of the rounds' differences.
  double difference() const {
    std::vector<double> differences(through_c.size());
    std::ranges::transform(through_c, through_cxx, differences.begin(), std::minus());
    return median(std::move(differences));
  }
};

/// What the first calls of a world take nobody asks.
void warm_up(const std::vector<Case>& cases, bool c_first) {
  for (const Case& each : cases) {
    ns_per_call(c_first ? each.through_c : each.through_cxx);
    ns_per_call(c_first ? each.through_cxx : each.through_c);
  }
}

int measure(int rounds, double limit_ns) {
  std::vector<Times> times;
  int rank = 0;
  for (int round = 0; round < rounds; round += kRoundsOfAWorld) {
    const bool c_first = round / kRoundsOfAWorld % 2 != 0;
    Calls calls(c_first);
    const std::vector<Case> cases = calls.cases();
    rank = calls.communicator().rank();
    if (round == 0 && rank == 0) std::printf("%d rank(s)\n", calls.communicator().size());
    times.resize(cases.size());
    warm_up(cases, c_first);
    for (std::size_t i = 0; i < cases.size(); ++i)
      for (int left = std::min(kRoundsOfAWorld, rounds - round); left > 0; --left)
        times[i].measure(cases[i]);
  }
  bool within = true;
  for (const Times& each : times) {
    within = each.difference() <= limit_ns && within;
    if (rank != 0) continue;
    std::printf("%-16s C++ %.1f ns, C %.1f ns, difference by round %.1f ns\n", each.name,
                median(each.through_cxx), median(each.through_c), each.difference());
  }
  return within ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return measure(argc > 1 ? std::max(1, std::atoi(argv[1])) : 300,
                   argc > 2 ? std::atof(argv[2]) : std::numeric_limits<double>::infinity());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "c_abi_cost: %s\n", error.what());
    return 1;
  }
}
