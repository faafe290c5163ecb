#include "transport/rendezvous/pmi_link.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

namespace rondo::rendezvous {

PmiLink::PmiLink(std::string launcher, PmiSocket socket)
    : launcher_(std::move(launcher)), socket_(std::move(socket)) {}

Result<PmiLink> PmiLink::open(const PmiEndpoint& endpoint, Deadline deadline) {
  auto socket = PmiSocket::open(endpoint, deadline);
  if (socket.ok()) return PmiLink(to_string(endpoint), std::move(socket).value());
  return Status(
      socket.status().code(),
      fmt::format("cannot reach {} by PMI: {}", to_string(endpoint), socket.status().message()));
}

Result<PmiMessage> PmiLink::exchange(const PmiMessage& request, const char* answer,
                                     Deadline deadline) {
  RONDO_TRY(broken_);
  const Status sent = socket_.send(encode(request), deadline);
  if (!sent.ok()) return break_off(sent, answer);
  return expect(answer, deadline);
}

Result<PmiMessage> PmiLink::expect(const char* answer, Deadline deadline) {
  RONDO_TRY(broken_);
  auto message = receive(deadline);
  if (!message.ok()) return break_off(message.status(), answer);
  if (message->command == answer) return message;
  return break_off(Status(ErrorCode::kDataLoss, "it says " + quoted(message->command)), answer);
}

Result<PmiMessage> PmiLink::ask(const PmiMessage& request, const char* answer, Deadline deadline) {
  RONDO_ASSIGN(PmiMessage message, exchange(request, answer, deadline));
  if (says_yes(message)) return message;
  return blame(ErrorCode::kSystem,
               fmt::format("refuses '{}' ({})", request.command, refusal(message)));
}

void PmiLink::say_goodbye(Deadline deadline) {
  // MPI_Finalize closes the descriptor, and the next file that is opened gets its number.
  if (!socket_.is_unchanged()) return;
  if (!socket_.send(encode({.command = "finalize"}), deadline).ok()) return;
  // An answer that was given up may come first.
  for (auto answer = receive(deadline); answer.ok(); answer = receive(deadline)) {
    if (answer->command == "finalize_ack") return;
  }
}

Result<PmiMessage> PmiLink::receive(Deadline deadline) {
  while (true) {
    RONDO_ASSIGN(std::optional<PmiMessage> message, reader_.next());
    if (message) return std::move(*message);
    RONDO_ASSIGN(const std::string bytes, socket_.receive(deadline));
    reader_.feed(bytes);
  }
}

Result<int> PmiLink::number(const PmiMessage& answer, const char* name, int least) const {
  const std::string* text = answer.find(name);
  int value = 0;
  if (text != nullptr) {
    const char* end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, value);
    if (error == std::errc{} && stop == end && value >= least) return value;
  }
  return blame(
      ErrorCode::kDataLoss,
      fmt::format("answers '{}' with {} as {}, expected a number of at least {}", answer.command,
                  text != nullptr ? quoted(*text) : "nothing", name, least));
}

Status PmiLink::blame(ErrorCode code, const std::string& what) const {
  return Status(code, launcher_ + " " + what);
}

Status PmiLink::break_off(const Status& reason, const char* answer) {
  broken_ =
      Status(reason.code(), fmt::format("lost the launcher, {}, while waiting for its '{}': {}",
                                        launcher_, answer, reason.message()));
  return broken_;
}

bool says_yes(const PmiMessage& answer) {
  const std::string* rc = answer.find("rc");
  return rc == nullptr || *rc == "0";
}

std::string refusal(const PmiMessage& answer) {
  std::string text;
  for (const char* name : {"rc", "msg"}) {
    const std::string* value = answer.find(name);
    if (value != nullptr) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, *value);
  }
  return text;
}

}  // namespace rondo::rendezvous
