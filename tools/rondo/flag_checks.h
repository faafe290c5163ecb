#pragma once

// What flags of several commands are held to.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

namespace rondo::tool {

/// What a shell makes of a variable that isn't set is no "not asked for".
inline CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? "expected more than ''" : ""; }, ""};
}

/// As CLI::Range, which takes "nan" for a number of every range.
inline CLI::Validator number_from(double least, double most) {
  return {[least, most](const std::string& text) {
            double number = 0;
            const bool fits =
                CLI::detail::lexical_cast(text, number) && number >= least && number <= most;
            return fits ? std::string()
                        : fmt::format("expected a number from {:g} to {:g}, got '{}'", least, most,
                                      text);
          },
          fmt::format("FLOAT in [{:g} - {:g}]", least, most)};
}

}  // namespace rondo::tool
