#include "collectives/execute/messages/conversation.h"

#include <fmt/format.h>

namespace rondo::execute {

Result<bool> Conversation::step(std::vector<void*>& done) {
  // Received first: an answer may be in it.
  RONDO_ASSIGN(const bool received, receiver_.step(done));
  RONDO_ASSIGN(const bool sent, sender_.step(done));
  return received || sent;
}

std::vector<const Message*> Conversation::outstanding() const {
  std::vector<const Message*> list = sender_.outstanding();
  for (const Message* message : receiver_.outstanding()) list.push_back(message);
  return list;
}

std::string Conversation::describe() const {
  const auto sends = sender_.outstanding();
  const auto receives = receiver_.outstanding();
  std::string text = fmt::format("{} sends to and {} receives from rank {} are outstanding",
                                 sends.size(), receives.size(), endpoint_.peer());
  if (!sends.empty()) {
    text += fmt::format(", the oldest send with tag {} ({} bytes)", sends.front()->tag,
                        sends.front()->bytes);
  }
  if (!receives.empty()) {
    text += fmt::format(", the oldest receive with tag {} ({} bytes)", receives.front()->tag,
                        receives.front()->bytes);
  }
  const std::string congestion = receiver_.describe_congestion();
  return congestion.empty() ? text : text + "; " + congestion;
}

}  // namespace rondo::execute
