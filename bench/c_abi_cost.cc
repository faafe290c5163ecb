// What a call through the C interface costs over the same call of the C++ one: an 8-byte
// all-reduce, by turns, medians of many short rounds. Alone it is a world of 1; under `rondo run -n
// 2` the ranks share memory.
//
//   c_abi_cost [ROUNDS] [LIMIT_NS]      fails where it costs more

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rondo/communicator.h"
#include "rondo/error.h"
#include "rondo/rondo.h"

namespace {

constexpr int kCalls = 2000;

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

int measure(int rounds, double limit_ns) {
  rondo_communicator* handle = nullptr;
  if (rondo_create(nullptr, &handle) != RONDO_OK) {
    std::fprintf(stderr, "c_abi_cost: %s\n", rondo_last_error()->message);
    return 1;
  }
  rondo::Communicator communicator = rondo::Communicator::create();
  double value = 1.5;
  std::vector<double> through_c;
  std::vector<double> through_cxx;
  for (int round = 0; round < rounds; ++round) {
    through_cxx.push_back(ns_per_call([&] {
      communicator.all_reduce({&value, 1}, rondo::ReduceOp::kMax);
    }));
    through_c.push_back(ns_per_call([&] {
      const rondo_status status = rondo_all_reduce(handle, &value, &value, 1, RONDO_F64, RONDO_MAX);
      if (status != RONDO_OK) throw std::runtime_error(rondo_last_error()->message);
    }));
  }
  const double difference = median(through_c) - median(through_cxx);
  if (communicator.rank() == 0) {
    std::printf("%d rank(s): C++ %.1f ns, C %.1f ns, difference %.1f ns\n", communicator.size(),
                median(through_cxx), median(through_c), difference);
  }
  return rondo_destroy(handle) == RONDO_OK && difference <= limit_ns ? 0 : 1;
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
