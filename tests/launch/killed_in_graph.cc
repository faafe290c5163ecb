#include "tests/launch/killed_in_graph.h"

#include <rondo/communicator.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "tests/collectives/communicator/cuda_graph.h"
#include "tests/collectives/communicator/own_device.h"
#include "tests/launch/death.h"

namespace rondo::launch {

int killed_in_graph(int victim) {
  constexpr std::size_t kCount = 100'000;
  Communicator world = Communicator::create({}, testing::own_device());
  const DeviceMemory data(world.device(), kCount * sizeof(float));
  const Buffer buffer{data.data(), kCount, DataType::kF32, world.device()};
  world.all_reduce(buffer);  // plans are made before
  const testing::NativeStream native(world.device().index);
  Stream stream = Stream::borrow(world.device(), native.get());
  testing::Graph graph(native.get());
  world.start(Call::all_reduce(buffer).on(stream));
  graph.end();
  const double death = time_of_death(world);
  std::jthread executioner;
  if (world.rank() == victim) executioner = strike_at(death, SIGKILL);
  // A little longer, so that it is launched once without the victim.
  while (seconds() < death + 0.05) {
    graph.launch();
    stream.synchronize();
  }
  try {
    world.barrier();
    std::printf("the call ended\n");
  } catch (const Error& error) {
    tell_of(death, error.culprit(), error.what());
  }
  return 3;
}

}  // namespace rondo::launch
