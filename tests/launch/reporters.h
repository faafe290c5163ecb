#pragma once

// What the tests that kill a rank look at: who named it, and what it left behind.

#include <set>
#include <string>

namespace rondo::launch {

/// The ranks that named `culprit`, by the output of a job whose lines begin with their rank in
/// brackets. Fails the test for those that took 2 s or longer, which is the promise, from when the
/// culprit said that it dies.
std::set<std::string> reporters_of(int culprit, const std::string& output);

/// Names of shared memory, but for those of the acted NCCL, which other tests use at the same time.
std::set<std::string> shared_memory_files();

}  // namespace rondo::launch
