#include "tools/rondo/bench/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <thread>

#include "tools/rondo/bench/core_binding.h"
#include "tools/rondo/bench/names.h"

namespace rondo::tool {
namespace {

constexpr std::array<DeviceKind, 3> kKinds = {DeviceKind::kHost, DeviceKind::kEmulated,
                                              DeviceKind::kCuda};

DeviceKind kind_of(const std::string& name) {
  const auto* const found =
      std::ranges::find(kKinds, name, [](DeviceKind kind) { return std::string(to_string(kind)); });
  return *found;
}

}  // namespace

std::vector<Device> places_of(const std::string& kind, int count) {
  const DeviceKind known = kind_of(kind);
  const int devices = device_count(known);
  if (devices == 0) {
    throw UsageError(fmt::format(
        "--device {}: none can be used here; `rondo info` tells what this build and machine have",
        kind));
  }
  std::vector<Device> places;
  for (int i = 0; i < count; ++i) places.push_back({known, (local_rank() * count + i) % devices});
  return places;
}

int run_places(std::vector<Communicator>& places, const std::function<int(Communicator&)>& work) {
  std::vector<int> codes(places.size());
  std::vector<std::exception_ptr> errors(places.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < places.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          codes[i] = work(places[i]);
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
  return *std::ranges::max_element(codes);
}

}  // namespace rondo::tool
