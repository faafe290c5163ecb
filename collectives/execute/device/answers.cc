#include "collectives/execute/device/answers.h"

namespace rondo::execute {

Answers::Answers(transport::Endpoint& endpoint, std::size_t asked, std::size_t received)
    : endpoint_(&endpoint), received_(received), come_(endpoint, kAnswerLane, asked) {}

void Answers::reset() {
  if (given_) given_->reset();
  come_.reset();
  for (auto& [lane, notices] : by_lane_) notices.clear();
}

void Answers::give(const Notice& notice) {
  if (!given_) given_.emplace(*endpoint_, kAnswerLane, received_);
  given_->add(notice);
}

Result<bool> Answers::pump() {
  RONDO_ASSIGN(bool moved, come_.pump());
  while (come_.has_next()) {
    by_lane_[come_.next().lane].push_back(come_.next());
    come_.take();
  }
  if (!given_) return moved;
  RONDO_ASSIGN(const bool sent, given_->pump());
  return moved || sent;
}

std::span<const Notice> Answers::of_lane(std::uint16_t lane) const {
  const auto found = by_lane_.find(lane);
  return found == by_lane_.end() ? std::span<const Notice>() : std::span(found->second);
}

}  // namespace rondo::execute
