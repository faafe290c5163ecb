#pragma once

// Runs a function on every rank of a world made of places of this process, each on its own thread,
// over a forced transport. What a rank throws fails the test with the rank's number.

#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "rondo/communicator.h"

namespace rondo::testing {

/// Until what another thread of the test does has come about; it fails where that takes a minute,
/// since the other has most likely thrown.
template <class Condition>
void wait_until(const Condition& has_come) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!has_come() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(has_come());
}

struct World {
  int size = 1;
  std::string transport = "inproc";
  std::string algorithm = "auto";
  Device device = Device::host();
  int devices = 4;  ///< of its kind: ranks take them in turn
  int timeout_ms = 60'000;
  std::string progress = "thread";
  bool deterministic = false;
  std::size_t segment_bytes = CommunicatorOptions{}.segment_bytes;
  std::string wire_format = "none";
  std::string error_feedback = "auto";
  std::string links = "equal";
  int tcp_sockets = 0;
  std::size_t private_read_bytes = 0;
  std::string tuning = "off";
  std::string schedule{};
  std::string device_path = "auto";
};

inline std::vector<Communicator> make_world(const World& world) {
  CommunicatorOptions options;
  options.transport = world.transport;
  options.algorithm = world.algorithm;
  options.timeout_ms = world.timeout_ms;
  options.progress = world.progress;
  options.deterministic = world.deterministic;
  options.segment_bytes = world.segment_bytes;
  options.wire_format = world.wire_format;
  options.error_feedback = world.error_feedback;
  options.links = world.links;
  options.tcp_sockets = world.tcp_sockets;
  options.private_read_bytes = world.private_read_bytes;
  options.tuning = world.tuning;
  options.schedule = world.schedule;
  options.device_path = world.device_path;
  options.join_timeout_ms = 30'000;
  std::vector<Device> places;
  for (int i = 0; i < world.size; ++i) {
    places.push_back(world.device.kind == DeviceKind::kHost
                         ? world.device
                         : Device{world.device.kind, i % world.devices});
  }
  return Communicator::create(places, options);
}

using RankFunction = std::function<void(Communicator&)>;

/// The error each rank ended with, as text; empty where it ended well.
inline std::vector<std::string> run_ranks(std::vector<Communicator>& ranks,
                                          const RankFunction& function) {
  std::vector<std::string> errors(ranks.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    threads.emplace_back([&, i] {
      try {
        function(ranks[i]);
      } catch (const std::exception& error) {
        errors[i] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

inline void spawn(const World& world, const RankFunction& function) {
  std::vector<Communicator> ranks = make_world(world);
  const auto errors = run_ranks(ranks, function);
  for (std::size_t rank = 0; rank < errors.size(); ++rank) {
    EXPECT_EQ(errors[rank], "") << "rank " << rank << " of " << world.size << " over "
                                << world.transport;
  }
}

}  // namespace rondo::testing
