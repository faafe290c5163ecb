#pragma once

// The words of all_gather: under which key a process leaves its value, and how its errors read.
// Pure; thread-safe.

#include <string>
#include <vector>

#include "core/status.h"

namespace rondo::rendezvous {

/// Where all_gather(`key`) keeps what process `index` said.
std::string gathered_key(const std::string& key, int index);
std::vector<std::string> gathered_keys(const std::string& key, int world);

/// "2, 3 and 7"; of many only the first few and how many more.
std::string list_of(const std::vector<int>& indices);

/// Timeout: `absent` have not come to all_gather(`key`); the first of them is the culprit.
Status not_all_came(const std::string& key, int world, const std::vector<int>& absent);
/// Mismatch: somebody left another value for `index` before.
Status came_twice(const std::string& key, int index);

}  // namespace rondo::rendezvous
