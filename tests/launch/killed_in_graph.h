#pragma once

// Worlds whose calls are made by CUDA graphs while one of their ranks is killed.

namespace rondo::launch {

/// Launches a graph of an all-reduce again and again until rank `victim` is killed in the middle of
/// one; the others then make a call, and print its error and the milliseconds since the kill, which
/// their graph's end comes before. The exit code. Without CUDA in the build: prints that.
int killed_in_graph(int victim);

}  // namespace rondo::launch
