#include "examples/recognize_digits/world.h"

#include <cstddef>
#include <exception>
#include <thread>

namespace rondo::examples {

World::World(int places)
    : communicators_(Communicator::create(
          std::vector<Device>(static_cast<std::size_t>(places), Device::host()))) {}

std::int64_t World::smallest(std::int64_t value) {
  std::vector<std::int64_t> values(communicators_.size(), value);
  std::vector<std::exception_ptr> failures(communicators_.size());
  const auto reduce = [&](std::size_t place) {
    try {
      communicators_[place].all_reduce({&values[place], 1, DataType::kI64}, ReduceOp::kMin);
    } catch (...) {
      failures[place] = std::current_exception();
    }
  };
  // Each place's call waits for the others': all but the first need a thread.
  std::vector<std::jthread> threads;
  for (std::size_t place = 1; place < communicators_.size(); ++place) {
    threads.emplace_back(reduce, place);
  }
  reduce(0);
  threads.clear();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return values.front();
}

}  // namespace rondo::examples
