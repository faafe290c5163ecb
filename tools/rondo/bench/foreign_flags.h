#pragma once

// Flags that nccl-tests has and that ask for nothing here, or for something that isn't here. Their
// neutral values are taken, so that command lines of nccl-tests work; any other is refused, with
// the reason and what to do instead.

namespace CLI {
class App;
}

namespace rondo::tool {

struct BenchFlags;

/// Declares them on `command`. What is refused is added to `flags.refusals`.
void add_foreign_flags(CLI::App& command, BenchFlags& flags);

}  // namespace rondo::tool
