#pragma once

// One rank of a world of two places of this process, that sends messages to the other one and
// receives them, and moves on when it is told to.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "collectives/execute/messages/conversation.h"
#include "tests/collectives/execute/connected_rank.h"

namespace rondo::execute {

class TalkingRank : public ConnectedRank {
 public:
  using ConnectedRank::ConnectedRank;

  void begin() { talk_ = std::make_unique<Conversation>(*transport_->endpoint(1 - rank_), rank_); }
  void send(std::vector<std::byte>& data, int tag) { talk_->send(message(data, tag)); }
  void receive(std::vector<std::byte>& data, int tag) {
    const Status status = talk_->receive(message(data, tag), done_);
    EXPECT_TRUE(status.ok()) << status.to_string();
  }
  bool step() {
    const auto moved = talk_->step(done_);
    EXPECT_TRUE(moved.ok());
    return moved.ok() && *moved;
  }
  std::size_t done() const { return done_.size(); }
  std::string says() const { return talk_->describe(); }
  /// What was sent last, and isn't done.
  Outstanding newest() const {
    std::vector<Outstanding> list;
    talk_->outstanding(list);
    return list.empty() ? Outstanding{} : list.back();
  }

 private:
  static Message message(std::vector<std::byte>& data, int tag) {
    return {.data = data.data(), .bytes = data.size(), .tag = tag, .owner = &data};
  }

  std::unique_ptr<Conversation> talk_;
  std::vector<void*> done_;
};

}  // namespace rondo::execute
