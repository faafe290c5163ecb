#pragma once

// A file that a flag names, like --json. Whether it can be written is tried before anything is
// measured, so that nobody waits for results that can't be kept; what it held stays until the new
// results are there, and a new one isn't there before them: a program that is ended meanwhile
// leaves no empty file behind. What this program's own output goes to, a device or a pipe is
// written where it is. Threads: one at a time.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/trace/output_in_place.h"
#include "core/unique_fd.h"

namespace rondo::tool {

class OutputFile {
 public:
  /// Whoever reads a pipe may begin a little later. Errors: std::runtime_error (can't be written:
  /// why).
  OutputFile(std::string flag, std::string path);
  /// A file that is this one's own, and that nothing was written to which is to stay, goes again.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Where another process is going to write: as the constructor does, but for a pipe, whose reader
  /// would take what is closed again for all that there is. True where this program's own output
  /// goes there, which ranks that it starts know as /dev/stdout alone. Errors: std::runtime_error.
  static bool check(const std::string& flag, const std::string& path);

  /// Replaces what the file holds, and closes it. Errors: std::runtime_error.
  void write(std::string_view text);
  /// Whether it can be written piece by piece: a pipe can't be, nor what standard output goes to.
  bool can_grow() const { return !in_place_.is_one; }
  /// Of a file that can grow and that holds nothing yet: what it holds until there is more. A new
  /// one goes again where nothing is put behind that; what others hold stays, and the answer is
  /// false. Errors: std::runtime_error.
  bool begin(std::string_view text);
  /// Of a file that can grow: what it holds from `offset` on is `text` from now on, for whoever
  /// reads it, too. Errors: std::runtime_error.
  void put(std::size_t offset, std::string_view text);

 private:
  void open_now();
  void replace(std::string_view text);
  bool write_all(std::string_view text, std::size_t offset);

  const std::string flag_;
  const std::string path_;
  std::filesystem::path target_;  ///< behind links, of what isn't there yet
  bool is_own_ = false;           ///< made here, with nothing in it that is to stay
  trace::OutputInPlace in_place_;
  UniqueFd file_;  ///< of a file, which can grow; none as long as it isn't there
};

}  // namespace rondo::tool
