#include "messages.h"

namespace bench {

World::Call MessageWorld::message_call(const std::string& name) {
  const int partner = partner_of(rank(), size());
  const bool is_first = rank() % 2 == 0;
  if (name == "send_receive") {
    const int next = (rank() + 1) % size();
    const int before = (rank() + size() - 1) % size();
    return [=, this](const Data& data) { exchange(data, next, before); };
  }
  if (name != "ping_pong" && name != "send") return {};
  if (partner < 0) return [](const Data&) {};
  if (name == "send") return [=, this](const Data& data) { stream(data, partner, is_first); };
  return [=, this](const Data& data) { ping_pong(data, partner, is_first); };
}

void MessageWorld::ping_pong(const Data& data, int partner, bool is_first) {
  if (is_first) send(data.input, data.part, partner);
  receive(data.output, data.part, partner);
  if (!is_first) send(data.input, data.part, partner);
}

void MessageWorld::stream(const Data& data, int partner, bool is_sender) {
  for (std::size_t first = 0; first < data.total; first += data.part) {
    if (is_sender) {
      send(data.input + first, data.part, partner);
    } else {
      receive(data.output + first, data.part, partner);
    }
  }
}

}  // namespace bench
