#include "tools/rondo/bench/foreign_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>

#include "tools/rondo/bench/options.h"

namespace rondo::tool {
namespace {

struct ForeignFlag {
  const char* names;
  const char* neutral;  ///< the value that is taken; null: every one
  const char* reason;
  const char* instead = "leave it out";
};

constexpr std::array kForeignFlags = {
    ForeignFlag{"-z,--blocking", nullptr, "every call is waited for before the next one is timed"},
    ForeignFlag{"-p,--parallel_init", nullptr, "all ranks join the world at once"},
    ForeignFlag{"-y,--stream_null", nullptr, "calls that are waited for have no stream"},
    ForeignFlag{"-G,--cudagraph", "0", "calls aren't captured into graphs",
                "leave it out, or start several at once (-m)"},
    ForeignFlag{"-C,--report_cputime", "0", "times are those of the whole call",
                "leave it out, or measure what a call leaves to its caller (--overlap)"},
    ForeignFlag{"-F", "", "results are written as JSON", "use -J"},
    ForeignFlag{"-K,--per_iter_skip", "0", "the first calls are left out by their number",
                "use -w"},
    ForeignFlag{"-M,--memory,--memory_report", "0",
                "what calls need beside their buffers isn't measured"},
    ForeignFlag{"-x,--cta_policy", "0", "there are no thread blocks to place"},
    ForeignFlag{"-D,--device_implementation", "0", "a variable chooses how devices combine",
                "set RONDO_DEVICE_PATH"},
    ForeignFlag{"-V,--device_cta_count", nullptr, "there are no thread blocks to count"},
};

/// "-G" of "-G,--cudagraph".
std::string short_name(const ForeignFlag& flag) { return std::string(flag.names, 2); }

std::string help_of(const ForeignFlag& flag) {
  if (flag.neutral == nullptr) return fmt::format("without effect: {}", flag.reason);
  if (*flag.neutral == '\0') return fmt::format("not supported: {}; {}", flag.reason, flag.instead);
  return fmt::format("{} only: {}; {}", flag.neutral, flag.reason, flag.instead);
}

}  // namespace

void add_foreign_flags(CLI::App& command, BenchFlags& flags) {
  for (const ForeignFlag& flag : kForeignFlags) {
    command
        .add_option_function<std::string>(
            flag.names,
            [&flags, &flag](const std::string& value) {
              if (flag.neutral == nullptr || value == flag.neutral) return;
              flags.refusals.push_back(fmt::format("{} {} isn't supported: {}; {}",
                                                   short_name(flag), value, flag.reason,
                                                   flag.instead));
            },
            help_of(flag))
        ->group("Flags of nccl-tests that have no use here");
  }
}

}  // namespace rondo::tool
