#pragma once

// All ranks of a world of places of this process, and what each of them does on a thread of its
// own.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

template <typename R>
void each(std::vector<R>& ranks, const std::function<void(R&, std::size_t)>& work) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    threads.emplace_back([&, i] { work(ranks[i], i); });
  for (std::thread& thread : threads) thread.join();
}

/// Of worlds that live at once each has its own.
inline std::uint64_t next_job() {
  static std::uint64_t jobs = 77'000;
  return ++jobs;
}

template <typename R>
std::vector<R> connected(transport::TransportKind kind, int world) {
  const std::uint64_t job = next_job();
  std::vector<R> ranks;
  std::vector<std::string> addresses;
  for (int rank = 0; rank < world; ++rank)
    addresses.push_back(ranks.emplace_back(kind, job, rank, world).address());
  each<R>(ranks, [&](R& rank, std::size_t) { rank.connect(addresses); });
  return ranks;
}

}  // namespace rondo::execute
