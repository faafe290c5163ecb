#include "core/json/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/one_line.h"

namespace rondo::json {
namespace {

using Node = nlohmann::json;

constexpr std::string_view kWhitespace = " \t\r\n";

const Node& node(const void* pointer) { return *static_cast<const Node*>(pointer); }

/// The first bytes of a text in UTF-8, without those of a character that is cut in two.
std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto begins_none = [&](std::size_t place) {
    return (static_cast<unsigned char>(text[place]) & 0xc0U) == 0x80;
  };
  while (most > 0 && begins_none(most)) --most;
  return text.substr(0, most) + "...";
}

/// As it is shown to who wrote it.
std::string shown(const Node& value) {
  constexpr std::size_t kMostShown = 40;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return cut(value.dump(-1, ' ', false, Node::error_handler_t::replace), kMostShown);
}

/// By the brackets outside of texts, before anything is built. The JSON library's own callbacks
/// look through the list so far at the end of each of its objects.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size() && depth <= kMostDepth; ++i) {
    const char letter = text[i];
    if (letter == '"') quoted = !quoted;
    if (letter == '\\' && quoted) ++i;
    if (quoted) continue;
    if (letter == '[' || letter == '{') ++depth;
    if (letter == ']' || letter == '}') --depth;
  }
  return depth > kMostDepth;
}

/// Where the last of the first `count` quoted texts begins, counted from 1, as in parse errors.
/// They have been read: each has its end.
std::size_t place_of_text(std::string_view text, std::size_t count) {
  std::size_t begin = text.find('"');
  while (--count > 0) {
    std::size_t end = begin + 1;
    while (text[end] != '"') end += std::size_t{text[end] == '\\' ? 2U : 1U};
    begin = text.find('"', end + 1);
  }
  return begin + 1;
}

/// Looks for the first mistake: no JSON, a number that is too large, or a key that an object has
/// twice, of which the library keeps the last alone.
class FirstMistake : public nlohmann::json_sax<Node> {
 public:
  /// Where there is one.
  std::string told_of(std::string_view text) const {
    if (twice_.has_value()) {
      return fmt::format("an object has the key {} for a second time at {}", shown(Node(*twice_)),
                         line_and_column(text, place_of_text(text, texts_)));
    }
    const std::string place = line_and_column(text, position_);
    return is_range_ ? fmt::format("a number is out of range at {}", place)
                     : fmt::format("not JSON at {}", place);
  }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override {
    ++texts_;
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    objects_.emplace_back();
    return true;
  }
  bool key(string_t& key) override {
    ++texts_;
    if (objects_.back().insert(key).second) return true;
    twice_ = key;
    return false;
  }
  bool end_object() override {
    objects_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string& token,
                   const Node::exception& error) override {
    is_range_ = dynamic_cast<const Node::out_of_range*>(&error) != nullptr;
    // The library tells where the number ends.
    position_ = is_range_ ? position + 1 - token.size() : position;
    return false;
  }

 private:
  std::vector<std::set<std::string>> objects_;  ///< open ones, from the outside
  std::size_t texts_ = 0;                       ///< keys, too
  std::optional<std::string> twice_;
  std::size_t position_ = 0;
  bool is_range_ = false;
};

Result<Node> parse_text(std::string_view text) {
  const auto invalid = [](std::string message) {
    return Status(ErrorCode::kInvalidArgument, std::move(message));
  };
  if (text.size() > kMostBytes) {
    return invalid(
        fmt::format("{} MiB long; expected at most {}", text.size() >> 20, kMostBytes >> 20));
  }
  const std::size_t first = text.find_first_not_of(kWhitespace);
  if (first == std::string_view::npos) return invalid("empty; expected JSON");
  // What doesn't begin as JSON is told by where it begins, not by the brackets in it.
  if ((text[first] == '{' || text[first] == '[') && is_too_deep(text))
    return invalid(fmt::format("nested more than {} deep", kMostDepth));
  FirstMistake mistake;
  if (!Node::sax_parse(text.begin(), text.end(), &mistake)) return invalid(mistake.told_of(text));
  return Node::parse(text.begin(), text.end());
}

}  // namespace

bool is_name(std::string_view text) {
  const bool plain =
      std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (text.empty() || !plain || text.size() > kMostNameBytes) return false;
  // U+0080 to U+009F: terminals take them for commands, as those below a space.
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const auto next = static_cast<unsigned char>(text[i + 1]);
    if (text[i] == '\xc2' && next >= 0x80 && next <= 0x9f) return false;
  }
  try {
    static_cast<void>(Node(text).dump());
    return true;
  } catch (const Node::type_error&) {
    return false;  // no UTF-8
  }
}

bool is_object_text(std::string_view option) {
  const std::size_t first = option.find_first_not_of(kWhitespace);
  return first != std::string_view::npos && option[first] == '{';
}

std::string line_and_column(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position > 0 ? position - 1 : 0);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_begin =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("line {}, column {}", line, before.size() - line_begin + 1);
}

struct Document::Tree {
  Node root;
};

Document::Document(std::unique_ptr<Tree> tree, std::string name)
    : tree_(std::move(tree)), name_(std::move(name)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

Result<Document> Document::parse(std::string_view text, std::string name) {
  Result<Node> root = parse_text(text);
  if (!root.ok()) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{}: {}", name, on_one_line(root.status().message())));
  }
  return Document(std::make_unique<Tree>(Tree{std::move(*root)}), std::move(name));
}

Value Document::root() { return {*this, &tree_->root, {}}; }

void Document::fail(std::string message) {
  if (!status_.ok()) return;
  // What is quoted in it may hold line ends.
  status_ = Status(ErrorCode::kInvalidArgument,
                   fmt::format("{}: {}", name_, on_one_line(std::move(message))));
}

bool Value::is_object() const { return exists() && node(node_).is_object(); }
bool Value::is_array() const { return exists() && node(node_).is_array(); }
bool Value::is_string() const { return exists() && node(node_).is_string(); }
bool Value::is_number() const { return exists() && node(node_).is_number(); }

Value Value::at(std::string_view key) {
  std::string place = place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key);
  Value missing(*document_, nullptr, place);
  if (!exists()) return missing;
  if (!is_object()) {
    refuse("an object");
    return missing;
  }
  asked_.emplace_back(key);
  const auto found = node(node_).find(std::string(key));
  if (found == node(node_).end()) return missing;
  return {*document_, &*found, std::move(place)};
}

Value Value::need(std::string_view key) {
  Value value = at(key);
  if (is_object() && !value.exists()) document_->fail(fmt::format("{} has no '{}'", place(), key));
  return value;
}

Items Value::items() {
  if (exists() && !is_array()) refuse("a list");
  return {*document_, is_array() ? node_ : nullptr, place_};
}

std::size_t Items::size() const { return array_ == nullptr ? 0 : node(array_).size(); }

Value Items::operator[](std::size_t index) const {
  const void* const item = index < size() ? &node(array_)[index] : nullptr;
  return {*document_, item, fmt::format("{}[{}]", place_, index)};
}

bool Items::Iterator::operator!=(std::default_sentinel_t) const {
  return index_ < items_->size() && items_->document_->status().ok();
}

std::vector<std::pair<std::string, Value>> Value::members() {
  std::vector<std::pair<std::string, Value>> values;
  if (!exists()) return values;
  if (!is_object()) {
    refuse("an object");
    return values;
  }
  for (const auto& entry : node(node_).items()) values.emplace_back(entry.key(), at(entry.key()));
  return values;
}

void Value::no_other_keys() {
  if (!exists()) return;
  if (!is_object()) {
    refuse("an object");
    return;
  }
  for (const auto& [key, value] : node(node_).items()) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    fail(fmt::format("unknown key {}; allowed: {}", shown(Node(key)), fmt::join(asked_, ", ")));
    return;
  }
}

double Value::number(double otherwise, double least, double most) {
  if (!exists()) return otherwise;
  const double value = is_number() ? node(node_).get<double>() : std::nan("");
  if (value >= least && value <= most) return value;
  refuse(fmt::format("a number from {:g} to {:g}", least, most));
  return otherwise;
}

std::int64_t Value::integer(std::int64_t otherwise, std::int64_t least, std::int64_t most) {
  if (!exists()) return otherwise;
  const Node& value = node(node_);
  // What is too large for the type is a floating-point number, or unsigned.
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
  if (fits && value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most)
    return value.get<std::int64_t>();
  refuse(fmt::format("a whole number from {} to {}", least, most));
  return otherwise;
}

bool Value::flag(bool otherwise) {
  if (!exists()) return otherwise;
  if (node(node_).is_boolean()) return node(node_).get<bool>();
  refuse("true or false");
  return otherwise;
}

std::string Value::name(std::string_view otherwise) {
  std::string name = text(otherwise);
  if (!is_name(name))
    refuse(fmt::format("a name, of one line and at most {} bytes", kMostNameBytes));
  return name;
}

std::string Value::remark(std::string_view otherwise) {
  std::string remark = text(otherwise);
  return remark.empty() ? remark : name(otherwise);
}

std::string Value::text(std::string_view otherwise) {
  if (!exists()) return std::string(otherwise);
  if (is_string()) return node(node_).get<std::string>();
  refuse("a text");
  return std::string(otherwise);
}

std::string Value::place() const { return place_.empty() ? "the file" : place_; }

void Value::refuse(std::string_view expected) {
  fail(fmt::format("expected {}, got {}", expected, exists() ? shown(node(node_)) : "nothing"));
}

void Value::fail(std::string_view message) {
  if (!document_->status().ok()) return;
  document_->fail(fmt::format("{}: {}", place(), message));
}

}  // namespace rondo::json
