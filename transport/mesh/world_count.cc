#include "transport/mesh/world_count.h"

namespace rondo::transport {
namespace {

using rendezvous::Launch;
using rendezvous::Launcher;

/// A process alone meets nobody, in a job that may be new each time: one count serves for all of
/// them. PMIx tells a process no job, and it is in one only.
std::uint64_t counted_job(const Launch& launch) {
  return launch.process_count > 1 ? launch.job : 0;
}

}  // namespace

WorldCount& WorldCount::instance() {
  static WorldCount count;
  return count;
}

std::uint32_t WorldCount::next(const Launch& launch) const {
  if (launch.launcher == Launcher::kUniqueId) return 1;
  const std::lock_guard lock(mutex_);
  const auto met = met_.find(counted_job(launch));
  return met == met_.end() ? 1 : met->second + 1;
}

void WorldCount::add(const Launch& launch, const Status& met) {
  const bool comes_again = met.code() == ErrorCode::kTimeout && launch.launcher != Launcher::kPmix;
  if (launch.launcher == Launcher::kUniqueId || comes_again) return;
  const std::lock_guard lock(mutex_);
  ++met_[counted_job(launch)];
}

}  // namespace rondo::transport
