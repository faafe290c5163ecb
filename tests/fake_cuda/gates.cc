#include "gates.h"

#include <mutex>
#include <utility>

namespace fake_cuda {
namespace {

/// Of all of them: they are followed from one another.
std::mutex& mutex() {
  static std::mutex& made = *new std::mutex();
  return made;
}

}  // namespace

bool Gate::is_closed() const {
  if (is_passed.load(std::memory_order_acquire)) return false;
  const std::uint32_t seen = std::atomic_ref(*word).load(std::memory_order_acquire);
  return static_cast<std::int32_t>(seen - value) < 0;
}

void Gates::add(std::shared_ptr<const Gate> gate) {
  const std::lock_guard lock(mutex());
  std::erase_if(all_, [](const auto& each) { return !each->is_closed(); });
  all_.push_back(std::move(gate));
}

void Gates::follow(const Gates& other) {
  if (&other == this) return;
  const std::lock_guard lock(mutex());
  std::erase_if(all_, [](const auto& each) { return !each->is_closed(); });
  for (const auto& gate : other.all_)
    if (gate->is_closed()) all_.push_back(gate);
}

void Gates::copy(const Gates& other) {
  const std::lock_guard lock(mutex());
  all_ = other.all_;
}

bool Gates::any_closed() const {
  const std::lock_guard lock(mutex());
  for (const auto& gate : all_)
    if (gate->is_closed()) return true;
  return false;
}

}  // namespace fake_cuda
