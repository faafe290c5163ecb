#include "collectives/execute/device/notice_queue.h"

namespace rondo::execute {

using transport::Transfer;
using transport::TransferKind;

NoticeSender::NoticeSender(transport::Endpoint& endpoint, std::uint16_t lane, std::size_t most)
    : endpoint_(&endpoint), lane_(lane), tokens_(endpoint.window()) {
  notices_.reserve(most);
}

void NoticeSender::reset() {
  notices_.clear();
  posted_ = done_ = 0;
}

Result<bool> NoticeSender::pump() {
  bool moved = false;
  while (done_ < posted_) {
    RONDO_ASSIGN(const bool done, endpoint_->poll(tokens_[done_ % tokens_.size()]));
    if (!done) break;
    ++done_;
    moved = true;
  }
  while (posted_ < notices_.size() && posted_ - done_ < tokens_.size()) {
    const Transfer transfer{.kind = TransferKind::kSend,
                            .lane = lane_,
                            .data = reinterpret_cast<std::byte*>(&notices_[posted_]),
                            .bytes = sizeof(Notice)};
    RONDO_ASSIGN(tokens_[posted_ % tokens_.size()], endpoint_->post({&transfer, 1}));
    ++posted_;
    moved = true;
  }
  return moved;
}

NoticeReceiver::NoticeReceiver(transport::Endpoint& endpoint, std::uint16_t lane, std::size_t most)
    : endpoint_(&endpoint), lane_(lane), notices_(most), tokens_(endpoint.window()) {}

Result<bool> NoticeReceiver::pump() {
  bool moved = false;
  while (posted_ < notices_.size() && posted_ - done_ < tokens_.size()) {
    const Transfer transfer{.kind = TransferKind::kRecv,
                            .lane = lane_,
                            .data = reinterpret_cast<std::byte*>(&notices_[posted_]),
                            .bytes = sizeof(Notice)};
    RONDO_ASSIGN(tokens_[posted_ % tokens_.size()], endpoint_->post({&transfer, 1}));
    ++posted_;
    moved = true;
  }
  while (done_ < posted_) {
    RONDO_ASSIGN(const bool done, endpoint_->poll(tokens_[done_ % tokens_.size()]));
    if (!done) break;
    ++done_;
    moved = true;
  }
  return moved;
}

}  // namespace rondo::execute
