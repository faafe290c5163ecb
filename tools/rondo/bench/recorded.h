#pragma once

// What a file of results holds, read back: what `rondo bench --json` writes, and what `rondo bench
// compare --json` does (with the library's name on each point). Fields that nobody here needs are
// not looked at, so later versions may add some.
// Threads: any.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/rondo/bench/report.h"

namespace rondo::tool {

/// One result.
struct Recorded {
  std::string collective;
  std::uint64_t bytes = 0;
  std::string type;
  std::string redop;
  int root = -1;
  int ranks = 1;
  std::string transport;
  std::string algorithm;  ///< "none" where the file doesn't say
  std::string wire_format;
  std::string buffers;
  std::string library;  ///< "rondo" where none is named
  std::string time_of;  ///< "slowest rank" where the file doesn't say
  int calls = 1;        ///< started together
  bool in_place = false;
  double predicted_us = 0;  ///< 0: nothing was
  double p50_us = 0;
  double busbw_gbps = 0;
};

struct RecordedFile {
  std::string path;
  Facts environment;
  std::vector<Recorded> results;
};

/// Errors: FileError, naming the file and the field at fault.
RecordedFile read_recorded(const std::string& path);
/// The same of what --baseline names, which errors begin with.
RecordedFile read_baseline(const std::string& path);
/// The same of what is in the file.
RecordedFile recorded_from(const std::string& path, std::string_view text);

}  // namespace rondo::tool
