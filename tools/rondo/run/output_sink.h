#pragma once

// This program's own stdout or stderr, written without ever blocking: whoever reads it may be slow,
// and signals and deadlines must be served meanwhile. The descriptor's flags stay as they are, for
// others share it. Threads: one at a time.

#include <string>
#include <utility>

namespace rondo::tool {

class OutputSink {
 public:
  /// Borrows `fd`.
  explicit OutputSink(int fd);

  int fd() const { return fd_; }
  /// Where to append what is to be written.
  std::string& buffer() { return buffer_; }
  bool wants_write() const { return !buffer_.empty(); }
  /// Enough is waiting: nothing more should be read for it now.
  bool is_full() const { return buffer_.size() >= kFullBytes; }
  /// Nobody will ever read it: whoever writes should learn that. What can't be written for another
  /// reason, as on a full disk, is thrown away, and so is all behind it.
  bool has_lost_reader() const { return lost_reader_; }
  /// Why not: errno's number, once; 0 where its reader is gone, which is no fault.
  int take_failure() { return std::exchange(failure_, 0); }

  /// Writes a piece. Call where poll says the descriptor takes some.
  void write_some();
  /// Waits until all is written.
  void flush();

 private:
  void give_up(int error);

  static constexpr std::size_t kFullBytes = 256 * 1024;

  const int fd_;
  const std::size_t piece_bytes_;
  std::string buffer_;
  bool closed_ = false;  ///< nothing can be written any more
  bool lost_reader_ = false;
  int failure_ = 0;
};

}  // namespace rondo::tool
