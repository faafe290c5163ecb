#include "collectives/communicator/plan_cache.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace rondo::communicator {

bool is_free_for(const std::shared_ptr<PreparedPlan>& plan, const transport::Fingerprint& key) {
  if (plan->built_in == nullptr || !differ_in_counts_alone(plan->key, key)) return false;
  if (plan.use_count() != 1) return false;
  // Whoever had it before may be another thread: what it did to the plan has to be over here, which
  // a count that was only looked at doesn't say. Taking part in it does.
  std::shared_ptr(plan).reset();
  return true;
}

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
  return take(plans_.find(least_recently_used().key));
}

std::shared_ptr<PreparedPlan> PlanCache::take_one_like(const transport::Fingerprint& key) {
  if (plans_.size() < kMost) return nullptr;
  const PreparedPlan& oldest = least_recently_used();
  const auto entry = plans_.find(oldest.key);
  if (is_free_for(entry->second, key)) return take(entry);
  note(oldest);
  return nullptr;
}

/// It is no longer noted.
std::shared_ptr<PreparedPlan> PlanCache::take(Plans::iterator entry) {
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
    if (entry.plan != nullptr && entry.key == key && entry.input_count == arguments.input.count &&
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
    if (!is_like(entry, more_bytes != 0)) continue;
    ++alike;
    bytes += entry.residual_bytes;
  }
  if (alike < kMost) return false;
  return more_bytes == 0 || alike >= kMostWithResiduals || bytes > kMostBytes;
}

template <class Predicate>
UnevenPlans::Entry* UnevenPlans::least_recently_used(Predicate of) {
  Entry* oldest = nullptr;
  for (Entry& entry : entries_) {
    if (entry.plan == nullptr || (oldest != nullptr && oldest->plan->used < entry.plan->used))
      continue;
    if (of(entry)) oldest = &entry;
  }
  return oldest;
}

/// Not the one that has to go, where that is of another kind or held: a program may call several
/// kinds in turn.
std::shared_ptr<PreparedPlan> UnevenPlans::take_one_like(const transport::Fingerprint& key) {
  const auto is_plain = [](const Entry& entry) { return is_like(entry, false); };
  if (std::ranges::count_if(entries_, is_plain) < static_cast<std::ptrdiff_t>(kMost))
    return nullptr;
  Entry* const free = least_recently_used(
      [&](const Entry& entry) { return is_plain(entry) && is_free_for(entry.plan, key); });
  return free == nullptr ? nullptr : std::exchange(free->plan, nullptr);
}

std::shared_ptr<PreparedPlan> UnevenPlans::make_room_for(const PreparedPlan& next) {
  if (!is_full_for(next)) return nullptr;
  const bool has_residuals = next.residual_bytes() != 0;
  Entry* const oldest =
      least_recently_used([=](const Entry& entry) { return is_like(entry, has_residuals); });
  return std::exchange(oldest->plan, nullptr);
}

PreparedPlan& UnevenPlans::insert(const transport::Fingerprint& key, const CallArguments& arguments,
                                  std::shared_ptr<PreparedPlan> plan) {
  const auto empty = std::ranges::find(entries_, nullptr, &Entry::plan);
  Entry& entry = empty != entries_.end() ? *empty : entries_.emplace_back();
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
