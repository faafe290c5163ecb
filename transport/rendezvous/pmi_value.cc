#include "transport/rendezvous/pmi_value.h"

#include <fmt/format.h>

#include <charconv>

#include "transport/rendezvous/key_table.h"
#include "transport/rendezvous/pmi_message.h"

namespace rondo::rendezvous {
namespace {

constexpr char kMore = '+';
constexpr char kLast = '.';
/// A value of which every byte is escaped.
constexpr std::size_t kMaxTextBytes = 3 * kMaxValueBytes;

bool is_plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') ||
         std::string_view("._-:/").find(c) != std::string_view::npos;
}

std::string escape(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (is_plain(c)) {
      text += c;
    } else {
      text += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text;
}

Status damaged(std::string_view text) {
  return Status(ErrorCode::kDataLoss, "expected a value that Rondo has published, got " +
                                          quoted(text) +
                                          ": do all processes run the same version of Rondo?");
}

}  // namespace

std::vector<std::string> pmi_pieces(std::string_view bytes, std::size_t piece_bytes) {
  const std::string text = escape(bytes);
  const std::size_t step = piece_bytes - 1;  // after the mark
  std::vector<std::string> pieces;
  std::size_t begin = 0;
  for (; begin + step < text.size(); begin += step) {
    pieces.push_back(kMore + text.substr(begin, step));
  }
  pieces.push_back(kLast + text.substr(begin));
  return pieces;
}

Status PmiPieces::add(std::string_view piece) {
  const char mark = piece.empty() ? '\0' : piece.front();
  // Pieces without text would go on for ever.
  const bool sound = mark == kLast || (mark == kMore && piece.size() > 1);
  if (complete_ || !sound) return damaged(piece);
  text_ += piece.substr(1);
  if (text_.size() > kMaxTextBytes) return damaged(text_);
  complete_ = mark == kLast;
  return {};
}

Result<std::string> PmiPieces::take() const {
  std::string bytes;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] != '%') {
      if (!is_plain(text_[i])) return damaged(text_);
      bytes += text_[i];
      continue;
    }
    unsigned value = 0;
    const std::string digits = text_.substr(i + 1, 2);
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
    if (digits.size() != 2 || error != std::errc{} || stop != end) return damaged(text_);
    bytes += static_cast<char>(static_cast<unsigned char>(value));
    i += 2;
  }
  return bytes;
}

}  // namespace rondo::rendezvous
