#include "collectives/simulate/fluid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rondo::simulate {
namespace {

/// Shares that differ by less came of rounding.
constexpr double kAlike = 1 + 1e-12;

}  // namespace

double on_grid(double time_us) {
  constexpr double kPerUs = 1 << 20;
  return std::nearbyint(time_us * kPerUs) / kPerUs;
}

ResourceId Fluid::add_resource(double capacity) {
  resources_.push_back({.capacity = capacity});
  return static_cast<ResourceId>(resources_.size() - 1);
}

ActivityId Fluid::start(double amount, double most_speed, std::span<const Use> uses) {
  ActivityId id = 0;
  if (free_.empty()) {
    id = static_cast<ActivityId>(activities_.size());
    activities_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Activity& activity = activities_[id];
  activity = Activity{.remaining = amount, .since = now_, .most_speed = most_speed};
  activity.use_count = static_cast<std::uint8_t>(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    std::vector<User>& users = resources_[uses[i].resource].users;
    activity.uses[i] = uses[i];
    activity.places[i] = static_cast<std::uint32_t>(users.size());
    users.push_back({id, static_cast<std::uint8_t>(i)});
  }
  mark_changed(activity);
  if (uses.empty()) {
    set_speed(id, most_speed);
    ends_.push({activity.end, true, id, 0});
  }
  return id;
}

bool Fluid::is_void(const End& end) const {
  return !end.is_alone && resources_[end.of].sharing != end.sharing;
}

std::optional<double> Fluid::next_end() {
  share_out();
  while (!ends_.empty()) {
    if (!is_void(ends_.top())) return ends_.top().time;
    ends_.pop();
  }
  return std::nullopt;
}

void Fluid::advance(double time, std::vector<ActivityId>& ended) {
  share_out();
  now_ = time;
  while (!ends_.empty() && ends_.top().time <= time) {
    const End first = ends_.top();
    ends_.pop();
    if (is_void(first)) continue;
    if (first.is_alone) {
      end(first.of, ended);
    } else {
      end_joined(first.of, ended);
    }
  }
}

void Fluid::end(ActivityId id, std::vector<ActivityId>& ended) {
  leave_resources(id);
  free_.push_back(id);
  ended.push_back(id);
}

/// Those that are joined to `first` and end now.
void Fluid::end_joined(ResourceId first, std::vector<ActivityId>& ended) {
  gather(first);
  for (const ResourceId id : component_) resources_[id].gathered = false;
  for (const ActivityId id : members_) {
    activities_[id].gathered = false;
    if (activities_[id].end <= now_) end(id, ended);
  }
}

void Fluid::mark_changed(const Activity& activity) {
  for (std::size_t i = 0; i < activity.use_count; ++i) {
    Resource& resource = resources_[activity.uses[i].resource];
    if (!resource.changed) changed_.push_back(activity.uses[i].resource);
    resource.changed = true;
  }
}

void Fluid::leave_resources(ActivityId id) {
  Activity& activity = activities_[id];
  mark_changed(activity);
  for (std::size_t i = 0; i < activity.use_count; ++i) {
    std::vector<User>& users = resources_[activity.uses[i].resource].users;
    const std::uint32_t place = activity.places[i];
    users[place] = users.back();
    activities_[users[place].activity].places[users[place].use] = place;
    users.pop_back();
  }
}

void Fluid::share_out() {
  for (const ResourceId id : changed_) {
    if (!resources_[id].changed) continue;  // gathered with one before it
    gather(id);
    std::uint64_t users = 0;
    for (const ResourceId joined : component_) users += resources_[joined].open;
    open_ = members_;
    for (; !open_.empty(); share_out_upto(least_share())) work_ += users;
    for (const ResourceId done : component_) resources_[done].gathered = false;
    if (!members_.empty()) queue_first_end();
  }
  changed_.clear();
}

/// Of what has been shared out.
void Fluid::queue_first_end() {
  double first = std::numeric_limits<double>::infinity();
  for (const ActivityId id : members_) first = std::min(first, activities_[id].end);
  const ResourceId any = component_.front();
  ends_.push({first, false, any, resources_[any].sharing});
}

/// What is joined to the resource: resources into component_, activities into members_.
void Fluid::gather(ResourceId first) {
  component_.assign(1, first);
  members_.clear();
  resources_[first].gathered = true;
  for (std::size_t i = 0; i < component_.size(); ++i) {
    Resource& resource = resources_[component_[i]];
    resource.changed = false;
    ++resource.sharing;
    resource.left = resource.capacity;
    resource.weight = 0;
    resource.open = resource.users.size();
    for (const User& user : resource.users) {
      Activity& activity = activities_[user.activity];
      resource.weight += activity.uses[user.use].weight;
      if (activity.gathered) continue;
      activity.gathered = true;
      activity.shared_out = false;
      members_.push_back(user.activity);
      for (const Use& use : uses_of(activity)) {
        if (resources_[use.resource].gathered) continue;
        resources_[use.resource].gathered = true;
        component_.push_back(use.resource);
      }
    }
  }
}

double Fluid::Resource::share() const {
  return weight > 0 ? left / weight : std::numeric_limits<double>::infinity();
}

/// The speed that all members can be raised to.
double Fluid::least_share() {
  double least = std::numeric_limits<double>::infinity();
  for (const ResourceId id : component_) {
    const Resource& resource = resources_[id];
    if (resource.open > 0) least = std::min(least, resource.share());
  }
  for (const ActivityId id : open_) {
    if (activities_[id].most_speed > 0) least = std::min(least, activities_[id].most_speed);
  }
  return least;
}

/// Those that can't be raised further than `share` get it and are open no more.
void Fluid::share_out_upto(double share) {
  const auto stops = [&](const Activity& activity) {
    if (activity.most_speed > 0 && activity.most_speed <= share * kAlike) return true;
    return std::any_of(
        activity.uses.begin(), activity.uses.begin() + activity.use_count,
        [&](const Use& use) { return resources_[use.resource].share() <= share * kAlike; });
  };
  for (const ActivityId id : open_) activities_[id].shared_out = stops(activities_[id]);
  // By resource, so that what is left of one doesn't depend on the order of its users.
  for (const ResourceId id : component_) {
    Resource& resource = resources_[id];
    double stopped = 0;
    for (const User& user : resource.users) {
      const Activity& activity = activities_[user.activity];
      if (!activity.gathered || !activity.shared_out) continue;
      stopped += activity.uses[user.use].weight;
      --resource.open;
    }
    resource.left = std::max(0.0, resource.left - stopped * share);
    resource.weight -= stopped;
  }
  std::size_t left_open = 0;
  for (const ActivityId id : open_) {
    if (!activities_[id].shared_out) {
      open_[left_open++] = id;
      continue;
    }
    activities_[id].gathered = false;
    set_speed(id, share);
  }
  open_.resize(left_open);
}

void Fluid::set_speed(ActivityId id, double speed) {
  Activity& activity = activities_[id];
  if (speed == activity.speed) return;
  activity.remaining = std::max(0.0, activity.remaining - activity.speed * (now_ - activity.since));
  activity.since = now_;
  activity.speed = speed;
  activity.trace.add(now_);
  activity.trace.add(speed);
  activity.end = std::max(now_, on_grid(now_ + activity.remaining / speed));
}

}  // namespace rondo::simulate
