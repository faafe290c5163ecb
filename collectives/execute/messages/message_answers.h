#pragma once

// Answers to requests for long messages, on a lane of their own: they get through where headers
// don't, because the peer has no room for the messages that they announce.
// Threads: one at a time. Allocates only while more answers are under way than ever before.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "collectives/execute/messages/message_header.h"
#include "core/status.h"
#include "core/steady_list.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

inline constexpr std::uint16_t kAnswerLane = transport::kFirstFreeLane + 2;

class MessageAnswers {
 public:
  explicit MessageAnswers(transport::Endpoint& endpoint) : endpoint_(endpoint) {}

  /// Tells the peer that there is a place for its request `id`.
  void answer(std::uint64_t id);
  /// Sends what can be sent; true if anything moved.
  Result<bool> step();
  /// The id of the next answer to this rank's own requests, if one has come. Only while one is to
  /// come. Errors: DataLoss (no answer), and as Endpoint::poll.
  Result<std::optional<std::uint64_t>> next();
  bool idle() const { return queue_.empty(); }

 private:
  struct Outgoing {
    MessageHeaderBlock block{};
    transport::Token token = 0;
  };
  Status post(Outgoing& outgoing);

  transport::Endpoint& endpoint_;
  SteadyList<Outgoing> queue_;
  std::size_t posted_ = 0;  ///< so many of the queue are under way
  MessageHeaderBlock coming_{};
  std::optional<transport::Token> coming_token_;
};

}  // namespace rondo::execute
