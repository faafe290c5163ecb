#include "collectives/execute/device/failure_cause.h"

#include <utility>

namespace rondo::execute {

Status FailureCause::seek(Status status, std::span<transport::Endpoint* const> endpoints,
                          int rank) {
  failed_ = std::move(status);
  failed_at_ = std::chrono::steady_clock::now();
  return look(endpoints, rank);
}

Status FailureCause::look(std::span<transport::Endpoint* const> endpoints, int rank) const {
  constexpr std::chrono::milliseconds kSoon{1000};
  if (failed_.code() != ErrorCode::kDevice) return failed_;
  for (transport::Endpoint* endpoint : endpoints) {
    Status heard = endpoint->verdict();
    if (heard.ok()) continue;
    return heard.culprit() == rank ? failed_ : heard;
  }
  // Another rank that a failed event tells of has its say, too: it may be lost.
  if (failed_.culprit() == rank) return failed_;
  return std::chrono::steady_clock::now() < failed_at_ + kSoon ? Status() : failed_;
}

}  // namespace rondo::execute
