#pragma once

// Worlds inside this process: all ranks as places of one process, and how a test drives them.

#include <functional>
#include <thread>
#include <vector>

#include "rondo/communicator.h"

namespace rondo::nn {

inline std::vector<Communicator> make_world(std::size_t ranks) {
  CommunicatorOptions options;
  options.timeout_ms = 60'000;
  return Communicator::create(std::vector<Device>(ranks, Device::host()), options);
}

/// Calls `work` for every rank, each in a thread of its own, as processes would.
inline void as_processes(std::vector<Communicator>& world,
                         const std::function<void(std::size_t, Communicator&)>& work) {
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < world.size(); ++rank) {
    threads.emplace_back([&, rank] { work(rank, world[rank]); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace rondo::nn
