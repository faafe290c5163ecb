#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

/// What a bug report or a measurement needs to say about where it ran, as (name, value) in the
/// order to print: version, compiler, machine, kernels, transports, devices, interfaces, launcher
/// and the RONDO_* variables in force. Names are lower case with underscores; a value that can't
/// be found out says why. Joins no world and takes milliseconds.
/// Threads: any, as long as nobody changes the environment meanwhile.
RONDO_API std::vector<std::pair<std::string, std::string>> build_and_machine_info();

}  // namespace v1
}  // namespace rondo
