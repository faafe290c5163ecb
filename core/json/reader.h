#pragma once

// Reads what people write: network files, schedules, tuning files, baselines. Strict, so that a
// mistake is told where it is and not guessed over: every key is known, every number in its range.
// The first mistake is kept, with its place ("hosts[1].ranks"), and ends all lists; what else is
// read of them and of the rest are defaults, so that readers need no branch for each field.
// Threads: any, one at a time.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/status.h"

namespace rondo::json {

/// What a text may have at most: larger ones, and deeper ones, are no such file.
inline constexpr std::size_t kMostBytes = std::size_t{16} * 1024 * 1024;
inline constexpr int kMostDepth = 32;

class Document;
class Items;

/// A value of a document, or nothing where one was left out; then reads give defaults.
/// Borrows the document.
class Value {
 public:
  bool exists() const { return node_ != nullptr; }
  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  bool is_number() const;

  /// Of an object: what `key` holds. Each key that is asked for counts as known.
  Value at(std::string_view key);
  /// The same of a key that has to be there.
  Value need(std::string_view key);
  /// Of an array, which it has to be if it exists.
  Items items();
  /// Of an object, which it has to be if it exists; all of its keys count as known.
  std::vector<std::pair<std::string, Value>> members();
  /// After all keys have been asked for: others are a mistake.
  void no_other_keys();

  double number(double otherwise, double least, double most);
  std::int64_t integer(std::int64_t otherwise, std::int64_t least, std::int64_t most);
  bool flag(bool otherwise);
  std::string text(std::string_view otherwise = {});
  /// A text that messages and tables can show as it is, of at most 256 bytes; it has to be there,
  /// unless there is an `otherwise`.
  std::string name(std::string_view otherwise = {});
  /// The same where it may also be empty.
  std::string remark(std::string_view otherwise = {});

  /// "hosts[1].ranks"; "the file" for all of it.
  std::string place() const;
  /// Keeps "<place>: expected <expected>, got <what is there>".
  void refuse(std::string_view expected);
  /// Keeps "<place>: <message>".
  void fail(std::string_view message);

 private:
  friend class Document;
  friend class Items;
  Value(Document& document, const void* node, std::string place)
      : document_(&document), node_(node), place_(std::move(place)) {}

  Document* document_;
  const void* node_;  ///< of the JSON library; null: left out
  std::string place_;
  std::vector<std::string> asked_{};
};

/// The values of a list, one at a time: there may be a million of them. Borrows the document.
class Items {
 public:
  class Iterator {
   public:
    Value operator*() const { return (*items_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    /// The document's first mistake is the end, too.
    bool operator!=(std::default_sentinel_t end) const;

   private:
    friend class Items;
    explicit Iterator(const Items& items) : items_(&items) {}
    const Items* items_;
    std::size_t index_ = 0;
  };

  std::size_t size() const;
  /// Beyond the last one: what was left out.
  Value operator[](std::size_t index) const;
  Iterator begin() const { return Iterator(*this); }
  static std::default_sentinel_t end() { return {}; }

 private:
  friend class Value;
  Items(Document& document, const void* array, std::string place)
      : document_(&document), array_(array), place_(std::move(place)) {}

  Document* document_;
  const void* array_;  ///< as Value::node_
  std::string place_;
};

class Document {
 public:
  /// `name` begins every message: "network file lab.json".
  /// Errors: InvalidArgument (no JSON, a number that is too large, a key that an object has for a
  /// second time: the line and column; too long; too deep).
  static Result<Document> parse(std::string_view text, std::string name);
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  Value root();
  /// The first mistake, or OK. Errors: InvalidArgument.
  const Status& status() const { return status_; }

 private:
  friend class Value;
  struct Tree;
  Document(std::unique_ptr<Tree> tree, std::string name);
  void fail(std::string message);

  std::unique_ptr<Tree> tree_;
  std::string name_;
  Status status_;
};

inline constexpr std::size_t kMostNameBytes = 256;
/// Whether a file can have it where a name is expected: UTF-8 of one line, and not too long.
bool is_name(std::string_view text);

/// Whether an option that takes a file's path or its text is a text: a brace, behind whitespace or
/// nothing, begins it.
bool is_object_text(std::string_view option);

/// "line 3, column 7": of the byte at `position`, which counts from 1.
std::string line_and_column(std::string_view text, std::size_t position);

/// The whole file, or what comes out of a pipe. Errors: InvalidArgument (there is none, it can't be
/// read, longer than kMostBytes); the message begins with `name`.
Result<std::string> read_file(const std::string& path, std::string_view name);

}  // namespace rondo::json
