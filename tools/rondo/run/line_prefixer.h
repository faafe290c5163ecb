#pragma once

// Makes one rank's output readable among the others': whole lines, each with the rank in front.
// Bytes pass unchanged. A last line without its end gets one, so that nobody else's line continues
// it. With an empty prefix lines are only kept whole, and nothing is added.
// Pure. Threads: one at a time.

#include <string>
#include <string_view>

namespace rondo::tool {

class LinePrefixer {
 public:
  /// A longer line is broken, so that a rank that writes no line ends needs no endless memory.
  static constexpr std::size_t kMaxLineBytes = 1 << 20;

  explicit LinePrefixer(std::string prefix) : prefix_(std::move(prefix)) {}

  /// Takes what the rank wrote; appends the lines that are complete to `out`.
  void feed(std::string_view bytes, std::string& out);
  /// The rank writes no more: appends what is left.
  void finish(std::string& out);

 private:
  void emit(std::string_view rest_of_line, std::string& out);

  const std::string prefix_;
  std::string partial_;
};

}  // namespace rondo::tool
