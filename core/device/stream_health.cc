#include "core/device/stream_health.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/device/driver.h"

namespace rondo::device {

void StreamHealth::fail(const Status& cause) {
  const std::lock_guard lock(mutex_);
  note(places_, cause);
}

Status StreamHealth::now() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void StreamHealth::note(std::uint64_t place, const Status& cause) {
  if (cause.ok()) return;
  if (failure_.ok()) {
    failure_ = cause;
    failed_from_ = place;
  } else {
    failed_from_ = std::min(failed_from_, place);
  }
}

std::uint64_t StreamHealth::next_place() {
  const std::lock_guard lock(mutex_);
  return places_++;
}

std::uint64_t StreamHealth::expect() {
  const std::lock_guard lock(mutex_);
  expected_.push_back(places_);
  return places_++;
}

bool StreamHealth::expects() const {
  const std::lock_guard lock(mutex_);
  return !expected_.empty();
}

// Followers are told without the mutex: they may have followers, and this one among them.
void StreamHealth::settle(std::uint64_t place, const Status& outcome) {
  std::vector<Settled> settled;
  {
    const std::lock_guard lock(mutex_);
    std::erase(expected_, place);
    note(place, stream_error(device_, outcome));
    settled = take_settled();
  }
  tell(settled);
}

void StreamHealth::tell(const std::vector<Settled>& settled) {
  for (const Settled& each : settled) each.stream->settle(each.place, each.outcome);
}

bool StreamHealth::is_open(std::uint64_t record) const {
  return std::ranges::any_of(expected_, [record](std::uint64_t place) { return place < record; });
}

std::vector<StreamHealth::Settled> StreamHealth::take_settled() {
  const auto has_failed = [this](std::uint64_t record) {
    return !failure_.ok() && failed_from_ <= record;
  };
  std::vector<Settled> settled;
  std::erase_if(followers_, [&](Follower& follower) {
    if (!has_failed(follower.record) && is_open(follower.record)) return false;
    settled.push_back({std::move(follower.stream), follower.place,
                       has_failed(follower.record) ? failure_ : Status()});
    return true;
  });
  return settled;
}

Status StreamHealth::at(std::uint64_t record) const {
  const std::lock_guard lock(mutex_);
  return failed_from_ <= record ? failure_ : Status();
}

void StreamHealth::follow(std::uint64_t record, const std::shared_ptr<StreamHealth>& follower) {
  if (follower.get() == this) return;
  {
    const std::lock_guard lock(mutex_);
    if (failure_.ok() && expected_.empty()) return;
  }
  const std::uint64_t place = follower->expect();
  std::vector<Settled> settled;
  {
    const std::lock_guard lock(mutex_);
    followers_.push_back({record, follower, place});
    settled = take_settled();
  }
  tell(settled);
}

void RecordHealth::record(const std::shared_ptr<StreamHealth>& stream) {
  const std::lock_guard lock(mutex_);
  place_ = stream->next_place();
  stream_ = stream;
}

Status RecordHealth::failure() const {
  const std::lock_guard lock(mutex_);
  return stream_ == nullptr ? Status() : stream_->at(place_);
}

void RecordHealth::follow(const std::shared_ptr<StreamHealth>& follower) const {
  std::shared_ptr<StreamHealth> stream;
  std::uint64_t place = 0;
  {
    const std::lock_guard lock(mutex_);
    stream = stream_;
    place = place_;
  }
  if (stream != nullptr) stream->follow(place, follower);
}

}  // namespace rondo::device
