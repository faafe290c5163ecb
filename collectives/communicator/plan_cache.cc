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

PreparedPlan& PlanCache::insert(const transport::Fingerprint& key,
                                std::shared_ptr<PreparedPlan> plan) {
  while (is_full_for(*plan)) {
    const auto oldest =
        std::ranges::min_element(plans_, {}, [](const auto& known) { return known.second->used; });
    scratch_bytes_ -= oldest->second->scratch_bytes;
    plans_.erase(oldest);
  }
  scratch_bytes_ += plan->scratch_bytes;
  last_key_ = key;
  last_ = plan.get();
  plans_[key] = std::move(plan);
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

PreparedPlan& UnevenPlans::insert(const transport::Fingerprint& key, const CallArguments& arguments,
                                  std::shared_ptr<PreparedPlan> plan) {
  const bool has_residuals = plan->residual_bytes() != 0;
  while (is_full_for(*plan)) {
    entries_.erase(std::ranges::min_element(entries_, {}, [&](const Entry& entry) {
      return std::pair((entry.residual_bytes != 0) != has_residuals, entry.plan->used);
    }));
  }
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
