#pragma once

// Carries what one rank writes to stdout (or stderr) into this program's own.
// Threads: one at a time.

#include <cstddef>
#include <string>

#include "core/unique_fd.h"
#include "tools/rondo/run/line_prefixer.h"
#include "tools/rondo/run/output_sink.h"

namespace rondo::tool {

class StreamRelay {
 public:
  /// `pipe` is the non-blocking reading end; `sink` outlives the relay.
  StreamRelay(UniqueFd pipe, std::string prefix, OutputSink& sink);

  /// The descriptor to poll for reading; -1 where there is nothing to read any more, or the sink
  /// has enough for now.
  int wanted_fd() const;
  /// Takes a piece of what is there.
  void read_some();
  /// Takes all that is there now, and up to a piece of what others write meanwhile.
  void drain();
  /// No more will come.
  void finish();
  /// Whether there ever was anything.
  bool has_read() const { return has_read_; }

 private:
  /// How many bytes; 0: there are none, or none will come any more.
  std::size_t take_piece();

  UniqueFd pipe_;
  LinePrefixer prefixer_;
  OutputSink& sink_;
  bool has_read_ = false;
};

}  // namespace rondo::tool
