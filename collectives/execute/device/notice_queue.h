#pragma once

// Notices on their way, one direction of one (peer, lane): as many as a call of a plan has, sent
// and received in order, without waiting.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/execute/device/notice.h"
#include "core/status.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

class NoticeSender {
 public:
  /// `most`: messages of a call.
  NoticeSender(transport::Endpoint& endpoint, std::uint16_t lane, std::size_t most);

  void reset();
  void add(const Notice& notice) { notices_.push_back(notice); }
  /// Sends what there is room for; true if anything moved. Errors as post.
  Result<bool> pump();
  bool idle() const { return done_ == notices_.size(); }
  int peer() const { return endpoint_->peer(); }

 private:
  transport::Endpoint* endpoint_;
  std::uint16_t lane_;
  std::vector<Notice> notices_;  ///< of this call: they stay where they are until its end
  std::vector<transport::Token> tokens_;
  std::size_t posted_ = 0;
  std::size_t done_ = 0;
};

class NoticeReceiver {
 public:
  NoticeReceiver(transport::Endpoint& endpoint, std::uint16_t lane, std::size_t most);

  void reset() { posted_ = done_ = taken_ = 0; }
  /// Receives what has come; true if anything moved. Errors as post.
  Result<bool> pump();
  bool has_next() const { return taken_ < done_; }
  const Notice& next() const { return notices_[taken_]; }
  void take() { ++taken_; }
  /// All messages of the call have been taken.
  bool done() const { return taken_ == notices_.size(); }
  int peer() const { return endpoint_->peer(); }

 private:
  transport::Endpoint* endpoint_;
  std::uint16_t lane_;
  std::vector<Notice> notices_;  ///< all that a call has
  std::vector<transport::Token> tokens_;
  std::size_t posted_ = 0;
  std::size_t done_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace rondo::execute
