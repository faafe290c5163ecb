#include "tools/rondo/bench/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "rondo/error.h"
#include "tools/rondo/bench/core_binding.h"
#include "tools/rondo/bench/names.h"

namespace rondo::tool {
namespace {

/// What keeps this build or machine from having a device of the kind.
std::string why_none(DeviceKind kind) {
  try {
    const Stream asked({kind, 0});
  } catch (const Error& error) {
    return error.what();
  }
  return "there is none";
}

/// What was thrown first: the others may only tell that somebody has given up.
class FirstFailure {
 public:
  void take(const std::exception_ptr& thrown) {
    const std::lock_guard lock(mutex_);
    if (first_ == nullptr) first_ = thrown;
  }
  void rethrow() const {
    if (first_ != nullptr) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

/// The others may be waiting for a call that this place won't make.
void abort_for(Communicator& place, const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    place.abort(error);
  } catch (const std::exception& error) {
    place.abort(Error(ErrorCode::kCancelled, error.what()));
  }
}

}  // namespace

std::vector<Device> places_of(const std::string& kind, int count) {
  const std::optional<DeviceKind> known = find_device_kind(kind);
  if (!known) {
    std::vector<std::string> names;
    for (const DeviceKind other : device_kinds()) names.emplace_back(to_string(other));
    throw UsageError(fmt::format("unknown device '{}', allowed: {}", kind, fmt::join(names, ", ")));
  }
  const int devices = device_count(*known);
  if (devices == 0) {
    throw UsageError(fmt::format("--device {}: none can be used here: {}", kind, why_none(*known)));
  }
  std::vector<Device> places;
  for (int i = 0; i < count; ++i) places.push_back({*known, (local_rank() * count + i) % devices});
  return places;
}

int run_places(std::vector<Communicator>& places, const std::function<int(Communicator&)>& work) {
  std::vector<int> codes(places.size());
  FirstFailure failure;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < places.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          codes[i] = work(places[i]);
        } catch (...) {
          failure.take(std::current_exception());
          abort_for(places[i], std::current_exception());
        }
      });
    }
  }
  failure.rethrow();
  return *std::ranges::max_element(codes);
}

}  // namespace rondo::tool
