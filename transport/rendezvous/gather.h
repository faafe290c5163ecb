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

/// What process `index` has to remove once nobody looks at all_gather(`key`) any more, so that
/// nothing stays of it when all have done so.
std::vector<std::string> keys_to_remove(const std::string& key, int index);

/// How large a process says that the world is.
struct WorldClaim {
  int world = 0;
  int index = 0;  ///< of who says so
};
/// Where all_gather(`key`) keeps the claim of the process that came first.
std::string world_key(const std::string& key);
std::string encode(const WorldClaim& claim);
/// Of bytes that encode didn't make: no world, no process.
WorldClaim decode_world_claim(const std::string& bytes);

/// "2, 3 and 7"; of many only the first few and how many more.
std::string list_of(const std::vector<int>& indices);

/// Timeout: `absent` have not come to all_gather(`key`); the first of them is the culprit.
Status not_all_came(const std::string& key, int world, const std::vector<int>& absent);
/// Mismatch: somebody left another value for `index` before.
Status came_twice(const std::string& key, int index);
/// Mismatch: `own` differs from what the first process said.
Status worlds_differ(const std::string& key, const WorldClaim& first, const WorldClaim& own);

}  // namespace rondo::rendezvous
