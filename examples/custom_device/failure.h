#pragma once

// Why this thread's last call failed, and the codes that the table's functions return. The text has
// no destructor: when the process ends, functions of the table are called by the thread that ends
// it, after its thread-local objects are gone.

#include <array>
#include <cstddef>
#include <exception>
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

template <auto kFunction>
struct Guarded;
template <typename... Arguments, int (*kFunction)(Arguments...)>
struct Guarded<kFunction> {
  static int call(Arguments... arguments) noexcept {
    try {
      return kFunction(arguments...);
    } catch (const std::exception& error) {
      return failed(error.what());
    }
  }
};
/// A function as the table has it, where nothing is thrown: neither for want of memory nor where no
/// thread can be made.
template <auto kFunction>
inline constexpr auto guarded = &Guarded<kFunction>::call;

}  // namespace custom_cpu
