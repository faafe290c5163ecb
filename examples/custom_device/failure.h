#pragma once

// Why this thread's last call failed, and the codes that the table's functions return.

#include <string>

namespace custom_cpu {

inline std::string& last_failure() {
  thread_local std::string text;
  return text;
}

inline int done() {
  last_failure().clear();
  return 0;
}

inline int failed(std::string why) {
  last_failure() = std::move(why);
  return 1;
}

}  // namespace custom_cpu
