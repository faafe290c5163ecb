#include "collectives/execute/host/residuals.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/device/memory.h"
#include "core/log.h"

namespace rondo::execute {

float* Residuals::of(const void* input, const void* output) {
  if (count_ == 0) return nullptr;
  ++uses_;
  if (const auto known = entries_.find({input, output}); known != entries_.end()) {
    known->second.used = uses_;
    return known->second.floats();
  }
  if (entries_.size() >= most() && !makes_room()) {
    warn_once("some buffers of a call run without error feedback",
              fmt::format("it is kept for {} pairs of buffers of one call, and {} KiB each", most(),
                          count_ * sizeof(float) / 1024));
    return nullptr;
  }
  auto memory = device::allocate_memory(Device::host(), count_ * sizeof(float));
  if (!memory.ok()) {
    warn_once("no memory for the error feedback of a call: it runs without",
              memory.status().message());
    return nullptr;
  }
  Entry& entry = entries_[{input, output}];
  entry = {std::move(memory).value(), uses_};
  std::fill_n(entry.floats(), count_, 0.0F);
  return entry.floats();
}

std::size_t Residuals::most() const {
  return std::clamp<std::size_t>(most_bytes_ / (count_ * sizeof(float)), 4, 4096);
}

bool Residuals::makes_room() {
  constexpr std::uint64_t kRounds = 64;
  const auto oldest =
      std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry.second.used; });
  if (uses_ - oldest->second.used <= kRounds * most()) return false;
  entries_.erase(oldest);
  return true;
}

void Residuals::warn_once(const char* what, const std::string& why) {
  if (std::exchange(has_warned_, true)) return;
  log(LogLevel::kWarn, [&] { return fmt::format("{} ({})", what, why); });
}

std::size_t Residuals::Hash::operator()(const Pair& pair) const {
  const std::hash<const void*> hash;
  return hash(pair.input) ^ (hash(pair.output) * 0x9E3779B97F4A7C15ULL);
}

}  // namespace rondo::execute
