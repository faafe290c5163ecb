#pragma once

// Reads numbers from environment variables; its errors name the variable, what it holds and what
// was expected. Threads: one at a time.

#include <cstdint>
#include <optional>
#include <string>

#include "core/status.h"
#include "transport/rendezvous/launch.h"

namespace rondo::rendezvous {

struct NumberRange {
  int least = 0;
  int most = 0;
};

class EnvironmentReader {
 public:
  /// Borrows `environment`; `launcher` says in errors who should have set a variable.
  EnvironmentReader(const Environment& environment, const char* launcher)
      : environment_(environment), launcher_(launcher) {}

  bool has(const char* name) const { return environment_(name).has_value(); }
  Result<std::string> text(const char* name) const;
  Result<int> number(const char* name, NumberRange range) const;
  Result<std::optional<int>> optional_number(const char* name, NumberRange range) const;
  /// 64 bits in hexadecimal digits.
  Result<std::uint64_t> hex(const char* name) const;

 private:
  const Environment& environment_;
  const char* launcher_;
};

}  // namespace rondo::rendezvous
