#include "transport/rendezvous/pmi_message.h"

#include <fmt/format.h>

#include <algorithm>

namespace rondo::rendezvous {
namespace {

constexpr std::size_t kMostQuoted = 80;

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

Status malformed(std::string_view line) {
  return Status(
      ErrorCode::kDataLoss,
      fmt::format("expected a line of PMI-1, such as 'cmd=NAME key=value', got {}", quoted(line)));
}

Status too_long(std::string_view line) {
  return Status(ErrorCode::kDataLoss,
                fmt::format("expected a line of PMI-1 of at most {} bytes, got a longer one: {}",
                            kMaxPmiLineBytes, quoted(line)));
}

}  // namespace

const std::string* PmiMessage::find(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [name](const auto& field) { return field.first == name; });
  return found == fields.end() ? nullptr : &found->second;
}

std::string encode(const PmiMessage& message) {
  std::string line = "cmd=" + message.command;
  for (const auto& [name, value] : message.fields) line += fmt::format(" {}={}", name, value);
  return line + "\n";
}

std::string quoted(std::string_view line) {
  std::string text(line.substr(0, kMostQuoted));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !is_printable(c); }, '?');
  return "'" + text + (line.size() > kMostQuoted ? "...'" : "'");
}

Result<PmiMessage> parse_pmi_line(std::string_view line) {
  if (!std::all_of(line.begin(), line.end(), is_printable)) return malformed(line);
  PmiMessage message;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) return malformed(line);
    message.fields.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  if (message.fields.empty() || message.fields.front().first != "cmd") return malformed(line);
  message.command = std::move(message.fields.front().second);
  message.fields.erase(message.fields.begin());
  return message;
}

Result<std::optional<PmiMessage>> PmiReader::next() {
  const std::size_t end = rest_.find('\n');
  if (std::min(end, rest_.size()) >= kMaxPmiLineBytes) return too_long(rest_);
  if (end == std::string::npos) return std::optional<PmiMessage>();
  RONDO_ASSIGN(PmiMessage message, parse_pmi_line(std::string_view(rest_).substr(0, end)));
  rest_.erase(0, end + 1);
  return std::optional<PmiMessage>(std::move(message));
}

}  // namespace rondo::rendezvous
