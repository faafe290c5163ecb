#include "tools/rondo/progress.h"

#include <unistd.h>

#include <cstdio>

namespace rondo::tool {

Progress::Progress() : shown_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::show(const std::string& text) const {
  if (!shown_) return;
  std::fputs(text.c_str(), stderr);  // stderr keeps nothing back
}

void Progress::clear() const { show("\r\x1b[K"); }

}  // namespace rondo::tool
