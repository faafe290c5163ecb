#include "collectives/communicator/plan_cache.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace rondo::communicator {

PreparedPlan* PlanCache::find(const transport::Fingerprint& key) {
  if (last_ != nullptr && last_key_ == key) return last_;
  const auto entry = plans_.find(key);
  if (entry == plans_.end()) return nullptr;
  last_key_ = key;
  last_ = entry->second.get();
  return last_;
}

void PlanCache::note(const PreparedPlan& plan) {
  seen_.push_back({plan.used, &plan});
  std::ranges::push_heap(seen_, std::ranges::greater(), &Seen::used);
}

/// There is one. It is no longer noted.
const PreparedPlan& PlanCache::least_recently_used() {
  for (;;) {
    std::ranges::pop_heap(seen_, std::ranges::greater(), &Seen::used);
    const Seen first = seen_.back();
    seen_.pop_back();
    // Nobody else has been used before it was looked at.
    if (first.plan->used == first.used) return *first.plan;
    note(*first.plan);
  }
}

std::shared_ptr<PreparedPlan> PlanCache::make_room_for(const PreparedPlan& next) {
  if (!is_full_for(next)) return nullptr;
  const auto entry = plans_.find(least_recently_used().key);
  std::shared_ptr<PreparedPlan> taken = std::move(entry->second);
  plans_.erase(entry);
  scratch_bytes_ -= taken->scratch_bytes;
  if (last_ == taken.get()) last_ = nullptr;
  return taken;
}

PreparedPlan& PlanCache::insert(std::shared_ptr<PreparedPlan> plan) {
  scratch_bytes_ += plan->scratch_bytes;
  note(*plan);
  last_key_ = plan->key;
  last_ = plan.get();
  plans_[last_key_] = std::move(plan);
  return *last_;
}

std::size_t PlanCache::Hash::operator()(const transport::Fingerprint& key) const {
  const auto root = static_cast<std::uint32_t>(key.root);
  const std::uint64_t kind = std::uint64_t{key.collective} | std::uint64_t{key.dtype} << 8 |
                             std::uint64_t{key.redop} << 16 | std::uint64_t{root} << 32;
  return std::hash<std::uint64_t>{}(key.count * 0x9E3779B97F4A7C15ULL ^ kind);
}

PreparedPlan* UnevenPlans::find(const transport::Fingerprint& key, const CallArguments& arguments) {
  for (Entry& entry : entries_) {
    if (entry.key == key && entry.input_count == arguments.input.count &&
        entry.output_count == arguments.output.count &&
        std::ranges::equal(entry.input_counts, arguments.input_counts) &&
        std::ranges::equal(entry.output_counts, arguments.output_counts)) {
      return entry.plan.get();
    }
  }
  return nullptr;
}

bool UnevenPlans::is_full_for(const PreparedPlan& plan) const {
  const std::size_t more_bytes = plan.residual_bytes();
  std::size_t alike = 0;
  std::size_t bytes = more_bytes;
  for (const Entry& entry : entries_) {
    alike += (entry.residual_bytes != 0) == (more_bytes != 0) ? 1 : 0;
    bytes += entry.residual_bytes;
  }
  if (alike < kMost) return false;
  return more_bytes == 0 || alike >= kMostWithResiduals || bytes > kMostBytes;
}

std::shared_ptr<PreparedPlan> UnevenPlans::make_room_for(const PreparedPlan& next) {
  if (!is_full_for(next)) return nullptr;
  const bool has_residuals = next.residual_bytes() != 0;
  const auto oldest = std::ranges::min_element(entries_, {}, [&](const Entry& entry) {
    return std::pair((entry.residual_bytes != 0) != has_residuals, entry.plan->used);
  });
  std::shared_ptr<PreparedPlan> taken = std::move(oldest->plan);
  entries_.erase(oldest);
  return taken;
}

PreparedPlan& UnevenPlans::insert(const transport::Fingerprint& key, const CallArguments& arguments,
                                  std::shared_ptr<PreparedPlan> plan) {
  Entry& entry = entries_.emplace_back();
  entry.key = key;
  entry.residual_bytes = plan->residual_bytes();
  entry.input_count = arguments.input.count;
  entry.output_count = arguments.output.count;
  entry.input_counts.assign(arguments.input_counts.begin(), arguments.input_counts.end());
  entry.output_counts.assign(arguments.output_counts.begin(), arguments.output_counts.end());
  entry.plan = std::move(plan);
  return *entry.plan;
}

}  // namespace rondo::communicator
