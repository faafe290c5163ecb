#include "collectives/execute/messages/conversation.h"

#include <fmt/format.h>

namespace rondo::execute {

Result<bool> Conversation::step(std::vector<void*>& done) {
  // Received first: an answer may be in it.
  RONDO_ASSIGN(const bool received, receiver_.step(done));
  RONDO_ASSIGN(const bool sent, sender_.step(done));
  return received || sent;
}

void Conversation::outstanding(std::vector<Outstanding>& list) const {
  sender_.outstanding(list);
  receiver_.outstanding(list);
}

std::string Conversation::describe() const {
  std::vector<Outstanding> sends;
  std::vector<Outstanding> receives;
  sender_.outstanding(sends);
  receiver_.outstanding(receives);
  std::string text = fmt::format("{} sends to and {} receives from rank {} are outstanding",
                                 sends.size(), receives.size(), endpoint_.peer());
  if (!sends.empty()) {
    text += fmt::format(", the oldest send with tag {} ({} bytes)", sends.front().message->tag,
                        sends.front().message->bytes);
  }
  if (!receives.empty()) {
    text += fmt::format(", the oldest receive with tag {} ({} bytes)",
                        receives.front().message->tag, receives.front().message->bytes);
  }
  const std::string congestion = receiver_.describe_congestion();
  return congestion.empty() ? text : text + "; " + congestion;
}

}  // namespace rondo::execute
