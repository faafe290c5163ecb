#pragma once

// Where and of what a measurement was made: what `rondo info` says, and the cores' governor. It
// goes into the head of the table and into the file. Threads: any, as long as nobody changes the
// environment meanwhile.

#include <string>

#include "tools/rondo/bench/report.h"

namespace rondo::tool {

/// What `rondo info` says, (name, value) in the order to print: what the library knows, and the
/// commit that the program was built from.
Facts tool_info();
/// The same with the governor.
Facts bench_environment();

/// The facts that explain a time, as '#' lines.
std::string environment_lines(const Facts& facts);

/// The value of the fact; empty: there is none.
std::string fact(const Facts& facts, const std::string& name);

}  // namespace rondo::tool
