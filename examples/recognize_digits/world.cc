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
  on_every_place([&](std::size_t place) {
    communicators_[place].all_reduce({&values[place], 1, DataType::kI64}, ReduceOp::kMin);
  });
  return values.front();
}

std::vector<std::string> World::gather(const std::string& text) {
  const auto ranks = static_cast<std::size_t>(size());
  const auto longest = static_cast<std::size_t>(-smallest(-static_cast<std::int64_t>(text.size())));
  std::string padded = text;
  padded.resize(longest);
  std::vector<std::string> gathered(communicators_.size(), std::string(ranks * longest, '\0'));
  on_every_place([&](std::size_t place) {
    communicators_[place].all_gather({padded.data(), longest, DataType::kU8},
                                     {gathered[place].data(), ranks * longest, DataType::kU8});
  });
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    // Up to the padding.
    texts.emplace_back(gathered.front().substr(rank * longest, longest).c_str());
  }
  return texts;
}

void World::on_every_place(const std::function<void(std::size_t place)>& act) {
  std::vector<std::exception_ptr> failures(communicators_.size());
  const auto guarded = [&](std::size_t place) {
    try {
      act(place);
    } catch (...) {
      failures[place] = std::current_exception();
    }
  };
  // This thread takes the first place.
  std::vector<std::jthread> threads;
  for (std::size_t place = 1; place < communicators_.size(); ++place) {
    threads.emplace_back(guarded, place);
  }
  guarded(0);
  threads.clear();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace rondo::examples
