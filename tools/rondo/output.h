#pragma once

// What the commands write to stdout. Nothing of it may get lost unseen: a full disk is an error.
// Threads: one at a time.

#include <string_view>

namespace rondo::tool {

/// Writes `text` at once. What can't be written is told at the end, so that a measurement goes on:
/// its results may also be wanted in a file.
void write_output(std::string_view text);

/// The program's exit code: `code`, or kExitFailure instead of 0, and a line on stderr, where
/// something couldn't be written.
int exit_code_after_output(int code);

}  // namespace rondo::tool
