#pragma once

// Why this thread's last call failed, and the codes that the table's functions return. The text has
// no destructor: when the process ends, functions of the table are called by the thread that ends
// it, after its thread-local objects are gone.

#include <array>
#include <cstddef>
#include <string_view>

namespace custom_cpu {

inline std::array<char, 128>& last_failure() {
  thread_local std::array<char, 128> text{};
  return text;
}

inline int done() {
  last_failure()[0] = '\0';
  return 0;
}

inline int failed(std::string_view why) {
  const std::size_t length = why.copy(last_failure().data(), last_failure().size() - 1);
  last_failure().at(length) = '\0';
  return 1;
}

}  // namespace custom_cpu
