#pragma once

#include "loop.h"

namespace bench {

/// A library that has messages between two ranks, too.
class MessageWorld : public World {
 public:
  virtual void send(const float* data, std::size_t count, int peer) = 0;
  virtual void receive(float* data, std::size_t count, int peer) = 0;
  /// Both at once: `part` elements of `input` to `next`, as many from `before` into `output`.
  virtual void exchange(const Data& data, int next, int before) = 0;

 protected:
  /// ping_pong, send or send_receive; none for another name.
  Call message_call(const std::string& name);

 private:
  void ping_pong(const Data& data, int partner, bool is_first);
  void stream(const Data& data, int partner, bool is_sender);
};

}  // namespace bench
