// One rank of the launch tests: does what its first argument says and prints what happened.
//   sum             all-reduces a few values and prints "rank R of N: sum S"
//   again           the same, then in a second world: "..., again S"
//   killed R        loops over all-reduces until rank R kills itself; the others print their error
//                   and the milliseconds since the kill
//   killed_between R     the same between two of a thousand started calls; those that were done are
//                        right, all others fail with the same culprit
//   killed_in_split R    the same in a split, where rank R kills itself once it has said where it
//                        listens: the others wait for its connections
//   killed_on_device R   the same on devices of the kind that RONDO_TEST_DEVICE names (emulated
//                        without), in the middle of a call
//   killed_behind_hosts R  the same while all hosts have done their part of the call, and all
//   devices
//                        wait for R's
//   killed_in_graph R    the same while a CUDA graph makes the calls, and no host is in one
//   stopped_on_device R  the same, but it only stands still
//   foreign_memory  sums on a plug-in's device, in memory that Rondo hasn't allocated
//   once_on_device  broadcasts rank 1's number on emulated devices and is gone
//   absent R        rank R never joins
//   late R FOLDER   rank R joins once the others' first tries have timed out, which they tell by
//                   files in FOLDER; they try again, and sum
//   exit R CODE     rank R exits with CODE before its second call; the others print their error
//                   (they may still be in the first)
//   forks R         rank R forks a child that ends in the ordinary way; all sum after that
//   traffic [MIB]   all-reduces a MiB, or so many, three times; prints the transport of every
//                   pair, the bytes that these calls have sent, and the milliseconds of a call

#include <rondo/communicator.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/collectives/communicator/own_device.h"
#include "tests/launch/death.h"
#include "tests/launch/foreign_memory.h"
#include "tests/launch/killed_in_graph.h"

namespace {

using rondo::Communicator;
using rondo::launch::seconds;
using rondo::launch::strike;
using rondo::launch::strike_at;
using rondo::launch::tell_of;
using rondo::launch::time_of_death;

int sum() {
  Communicator world = Communicator::create();
  std::vector<float> data(1000, 0.25F + static_cast<float>(world.rank()));
  world.all_reduce({data.data(), data.size()});
  std::printf("rank %d of %d: sum %.2f over %s\n", world.rank(), world.size(),
              static_cast<double>(data[999]), std::string(world.last_call().transport).c_str());
  return 0;
}

int again() {
  Communicator first = Communicator::create();
  Communicator second = Communicator::create();
  std::vector<float> data(1000, 0.25F + static_cast<float>(first.rank()));
  std::vector<float> other = data;
  first.all_reduce({data.data(), data.size()});
  second.all_reduce({other.data(), other.size()});
  std::printf("rank %d of %d: sum %.2f over %s, again %.2f\n", second.rank(), second.size(),
              static_cast<double>(data[999]), std::string(second.last_call().transport).c_str(),
              static_cast<double>(other[999]));
  return 0;
}

bool is_rank(int rank) {
  const char* own = std::getenv("RONDO_RANK");
  return own != nullptr && std::atoi(own) == rank;
}

std::string told_by(int rank, const std::string& folder) {
  return folder + "/tried-" + std::to_string(rank);
}

/// However late they began: a first try that is under way would meet this rank's.
void await_first_tries(int late, const std::string& folder) {
  const int world = std::atoi(std::getenv("RONDO_WORLD"));
  const double latest = seconds() + 60;
  for (int rank = 0; rank < world; ++rank) {
    while (rank != late && !std::filesystem::exists(told_by(rank, folder)) && seconds() < latest)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

int late(int rank, const std::string& folder) {
  if (is_rank(rank)) {
    await_first_tries(rank, folder);
    return sum();
  }
  rondo::CommunicatorOptions impatient;
  impatient.join_timeout_ms = 1000;
  try {
    static_cast<void>(Communicator::create(impatient));
  } catch (const rondo::Error& error) {
    std::printf("first try: %s\n", error.what());
  }
  std::ofstream(told_by(std::atoi(std::getenv("RONDO_RANK")), folder)) << "over\n";
  return sum();
}

int killed(int victim) {
  Communicator world = Communicator::create();
  const double death = time_of_death(world);
  std::vector<float> data(2'000'000, 0.5F);
  try {
    while (true) {
      if (world.rank() == victim && seconds() > death) strike(death, SIGKILL);
      world.all_reduce({data.data(), data.size()}, rondo::ReduceOp::kMax);
    }
  } catch (const rondo::Error& error) {
    tell_of(death, error.culprit(), error.what());
  }
  return 3;
}

/// The ends of calls in their order: those that were done come first, and are right; all others
/// have one culprit.
class Ends {
 public:
  explicit Ends(int culprit) : culprit_(culprit) {}

  /// 0, or what to exit with.
  int wait(rondo::Work& work, const std::vector<float>& data, float sum) {
    try {
      work.wait();
    } catch (const rondo::Error& error) {
      if (failed_++ == 0) first_ = error.what();
      if (error.culprit() == culprit_) return 0;
      std::printf("a call's culprit is %d: %s\n", error.culprit(), error.what());
      return 5;
    }
    if (failed_ == 0 && data.front() == sum && data.back() == sum) return 0;
    std::printf("a call behind %zu that failed has %.2f and %.2f for %.2f\n", failed_,
                static_cast<double>(data.front()), static_cast<double>(data.back()),
                static_cast<double>(sum));
    return 4;
  }
  std::size_t failed() const { return failed_; }
  const std::string& first() const { return first_; }

 private:
  int culprit_;
  std::size_t failed_ = 0;
  std::string first_;
};

/// A split first asks who belongs to which part, and then where each listens.
int killed_in_split(int victim) {
  Communicator world = Communicator::create();
  const double death = time_of_death(world);
  if (world.rank() == victim) {
    world.set_trace([death, calls = 0](const rondo::TracedCall&) mutable {
      if (++calls != 2) return;
      std::this_thread::sleep_for(std::chrono::duration<double>(death - seconds()));
      strike(death, SIGKILL);
    });
  }
  try {
    static_cast<void>(world.split(0));
  } catch (const rondo::Error& error) {
    tell_of(death, error.culprit(), error.what());
  }
  return 3;
}

int killed_between(int victim) {
  constexpr std::size_t kCalls = 1000;
  constexpr std::size_t kOfVictim = 500;  // so that the later ones can't be done
  constexpr std::size_t kDone = 400;
  Communicator world = Communicator::create();
  const double death = time_of_death(world);
  const bool dies = world.rank() == victim;
  std::vector<std::vector<float>> data;
  for (std::size_t i = 0; i < kCalls; ++i)
    data.emplace_back(1'000, 0.5F + static_cast<float>(world.rank()) + static_cast<float>(i));
  std::vector<rondo::Work> works;
  for (std::size_t i = 0; i < (dies ? kOfVictim : kCalls); ++i)
    works.push_back(world.start(rondo::Call::all_reduce({data[i].data(), data[i].size()})));
  Ends ends(victim);
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (dies && i == kDone) {
      std::this_thread::sleep_for(std::chrono::duration<double>(death - seconds()));
      strike(death, SIGKILL);
    }
    const auto sum = static_cast<float>(world.size()) * (static_cast<float>(i) + 2.0F);
    if (const int code = ends.wait(works[i], data[i], sum); code != 0) return code;
  }
  tell_of(death, ends.failed() >= kCalls - kOfVictim ? victim : -1, ends.first().c_str());
  return 3;
}

int once_on_device() {
  Communicator world = Communicator::create({}, rondo::Device::emulated(0));
  rondo::Stream stream(world.device());
  const rondo::DeviceMemory memory(world.device(), sizeof(float));
  float value = 1.25F + static_cast<float>(world.rank());
  stream.copy(memory.data(), &value, sizeof(value));
  stream.synchronize();
  world.broadcast({memory.data(), 1, rondo::DataType::kF32, world.device()}, 1);
  stream.copy(&value, memory.data(), sizeof(value));
  stream.synchronize();
  std::printf("rank %d of %d: got %.2f\n", world.rank(), world.size(), static_cast<double>(value));
  return 0;  // with all that peers may still want
}

rondo::Device device_of_this_rank() {
  const rondo::Device named = rondo::testing::own_device();
  return named == rondo::Device::host() ? rondo::Device::emulated(0) : named;
}

/// In the middle of a call, whatever its peers are doing with its memory then.
int struck_on_device(int victim, int signal) {
  Communicator world = Communicator::create({}, device_of_this_rank());
  const rondo::DeviceMemory data(world.device(), 8'000'000);
  const rondo::Buffer buffer{data.data(), 2'000'000, rondo::DataType::kF32, world.device()};
  world.all_reduce(buffer);  // plans are made, and libraries joined, before
  const double death = time_of_death(world);
  std::jthread executioner;
  if (world.rank() == victim) executioner = strike_at(death, signal);
  try {
    while (true) world.all_reduce(buffer);
  } catch (const rondo::Error& error) {
    tell_of(death, error.culprit(), error.what());
  }
  return 3;
}

/// Its device is kept from the call by copies; hosts wait for no device before the end of a call.
int killed_behind_hosts(int victim) {
  constexpr std::size_t kBytes = 8'000'000;
  constexpr int kCopies = 3'000;  // they take seconds
  Communicator world = Communicator::create({}, device_of_this_rank());
  const rondo::DeviceMemory data(world.device(), kBytes);
  const rondo::DeviceMemory copy(world.device(), kBytes);
  const rondo::Buffer buffer{data.data(), 2'000'000, rondo::DataType::kF32, world.device()};
  world.all_reduce(buffer);
  const double death = time_of_death(world);
  rondo::Stream stream(world.device());
  try {
    if (world.rank() == victim) {
      for (int i = 0; i < kCopies; ++i) stream.copy(copy.data(), data.data(), kBytes);
      world.start(rondo::Call::all_reduce(buffer).on(stream));
      std::this_thread::sleep_for(std::chrono::duration<double>(death - seconds()));
      strike(death, SIGKILL);
    }
    world.all_reduce(buffer);
    std::printf("the call ended\n");
  } catch (const rondo::Error& error) {
    tell_of(death, error.culprit(), error.what());
  }
  return 3;
}

int leave(int victim, int code) {
  Communicator world = Communicator::create();
  std::vector<float> data(1000, 0.5F);
  try {
    world.all_reduce({data.data(), data.size()});
    if (world.rank() == victim) std::exit(code);
    world.all_reduce({data.data(), data.size()});
  } catch (const rondo::Error& error) {
    std::printf("culprit %d: %s\n", error.culprit(), error.what());
  }
  // The system closes a process's descriptors before it tells its parent of the end: leave it time,
  // or this rank's end could be seen first.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  return 4;
}

/// Its child has a copy of all that is in here, and ends it all.
int fork_and_sum(int forking) {
  Communicator world = Communicator::create();
  std::vector<float> data(1000, 0.25F + static_cast<float>(world.rank()));
  std::vector<float> first = data;
  world.start(rondo::Call::all_reduce({first.data(), first.size()})).wait();
  if (world.rank() == forking) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);  // rather than hang
      return 0;
    }
    int end = -1;
    ::waitpid(child, &end, 0);
    std::printf("the child ended with %d\n", end);
  }
  world.all_reduce({data.data(), data.size()});
  std::printf("rank %d of %d: sum %.2f over %s\n", world.rank(), world.size(),
              static_cast<double>(data[999]), std::string(world.last_call().transport).c_str());
  return 0;
}

int forks(int forking) {
  const pid_t own = ::getpid();
  const int code = fork_and_sum(forking);
  // What the tools that look for leaks say of threads that a child hasn't got is no matter here.
  if (::getpid() != own) ::_exit(code);
  return code;
}

int traffic(int mebibytes) {
  constexpr int kCalls = 3;
  Communicator world = Communicator::create();
  std::vector<float> data(static_cast<std::size_t>(mebibytes) << 18, 1.0F);
  world.barrier();  // whoever has joined first would wait for the others
  const std::vector<rondo::PeerTraffic> before = world.traffic();
  const double begin = seconds();
  for (int i = 0; i < kCalls; ++i) world.all_reduce({data.data(), data.size()});
  const double end = seconds();
  const std::vector<rondo::PeerTraffic> after = world.traffic();
  for (std::size_t i = 0; i < after.size(); ++i) {
    std::printf(
        "pair %d-%d: %s sent %llu received %llu\n", world.rank(), after[i].peer,
        after[i].transport.c_str(),
        static_cast<unsigned long long>(after[i].sent_bytes - before[i].sent_bytes),
        static_cast<unsigned long long>(after[i].received_bytes - before[i].received_bytes));
  }
  std::printf("rank %d: %.1f ms a call\n", world.rank(), (end - begin) * 1e3 / kCalls);
  return 0;
}

int algorithm() {
  Communicator world = Communicator::create();
  std::vector<float> data(1 << 18, 0.5F + static_cast<float>(world.rank()));
  world.all_reduce({data.data(), data.size()});
  float sum = 0;
  for (int rank = 0; rank < world.size(); ++rank) sum += 0.5F + static_cast<float>(rank);
  const bool is_right = std::all_of(data.begin(), data.end(), [&](float x) { return x == sum; });
  std::printf("rank %d: %s by %s\n", world.rank(), is_right ? "right" : "wrong",
              std::string(world.last_call().algorithm).c_str());
  return is_right ? 0 : 1;
}

int run(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "sum";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  if (mode == "killed") return killed(number);
  if (mode == "killed_in_split") return killed_in_split(number);
  if (mode == "killed_between") return killed_between(number);
  if (mode == "killed_on_device") return struck_on_device(number, SIGKILL);
  if (mode == "killed_behind_hosts") return killed_behind_hosts(number);
  if (mode == "killed_in_graph") return rondo::launch::killed_in_graph(number);
  if (mode == "stopped_on_device") return struck_on_device(number, SIGSTOP);
  if (mode == "foreign_memory") return rondo::launch::foreign_memory();
  if (mode == "again") return again();
  if (mode == "once_on_device") return once_on_device();
  if (mode == "exit") return leave(number, std::atoi(argv[3]));
  if (mode == "forks") return forks(number);
  if (mode == "traffic") return traffic(argc > 2 ? number : 1);
  if (mode == "algorithm") return algorithm();
  if (mode == "late") return late(number, argv[3]);
  if (mode == "absent" && is_rank(number)) {
    std::this_thread::sleep_for(std::chrono::seconds(4));
    return 0;
  }
  return sum();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::printf("error: %s\n", error.what());
    return 1;
  }
}
