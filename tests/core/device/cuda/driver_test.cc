// The CUDA driver's wrapper over a driver that is acted (tests/fake_cuda): what it does when all
// goes well, and what it says of wrong arguments. failures_test.cc lets each function fail.

#include "core/device/cuda/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/device/cuda/library.h"
#include "core/device/soft_event.h"
#include "core/device/stream_order.h"
#include "tests/core/device/cuda/acted_driver.h"
#include "tests/core/is_rung.h"
#include "tests/core/scoped_variable.h"

namespace rondo::device {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CudaLibrary, NotThere_SaysHowToGetIt) {
  const Status status = load_cuda_table("/nowhere/libcuda.so.1").status();
  EXPECT_EQ(status.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("/nowhere/libcuda.so.1"), HasSubstr("install"),
                                      HasSubstr("RONDO_CUDA_DRIVER")));
}

TEST(CudaLibrary, AnotherLibrary_NamesTheMissingFunction) {
  const Status status = load_cuda_table("libm.so.6").status();
  EXPECT_THAT(status.message(), AllOf(HasSubstr("has no function cuInit"), HasSubstr("update")));
}

TEST(CudaLibrary, OldDriver_NamesBothVersions) {
  const ScopedVariable version("FAKE_CUDA_VERSION", "11040");
  const Status status = load_cuda_table(FAKE_CUDA).status();
  EXPECT_EQ(status.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("up to 11.4"), HasSubstr("needs 13.0"),
                                      HasSubstr("update the driver")));
}

TEST(CudaDriver, CopiesAndEvents_InTheOrderOfTheStreams) {
  const auto driver = acted_driver();
  void* const memory = *driver->allocate(0, 4'000);
  std::vector<float> in(1'000, 2.5F), out(1'000);
  const auto first = *driver->create_stream(0);
  const auto second = *driver->create_stream(0);
  const auto event = *driver->create_event(0);
  EXPECT_TRUE(event->done()) << "never recorded";
  ASSERT_TRUE(first->copy(memory, in.data(), 4'000).ok());
  ASSERT_TRUE(first->record(*event).ok());
  ASSERT_TRUE(second->wait(*event).ok());
  ASSERT_TRUE(second->copy(out.data(), memory, 4'000).ok());
  ASSERT_TRUE(second->synchronize().ok());
  EXPECT_EQ(in, out);
  EXPECT_TRUE(event->wait().ok());
  driver->free(memory);
}

TEST(CudaDriver, HostsEvent_HoldsTheStreamUntilItIsReached) {
  const auto driver = acted_driver();
  void* const memory = *driver->allocate(0, 4);
  const auto stream = *driver->create_stream(0);
  SoftEvent first, second;
  const auto open_first = first.begin_record();
  const auto open_second = second.begin_record();
  const auto page_locked = *driver->allocate_words(0, 12);
  auto* const values = static_cast<float*>(page_locked.get());
  values[0] = 1;
  values[1] = 2;
  ASSERT_TRUE(stream->copy(memory, &values[0], 4).ok());
  ASSERT_TRUE(stream->wait(first).ok());
  ASSERT_TRUE(stream->copy(memory, &values[1], 4).ok());
  ASSERT_TRUE(stream->wait(second).ok());
  ASSERT_TRUE(stream->copy(&values[2], memory, 4).ok());
  const auto end = *driver->create_event(0);
  ASSERT_TRUE(stream->record(*end).ok());
  open_second->finish({});  // out of turn: the stream still stands at the first
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(end->done());
  open_first->finish({});
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(values[2], 2);
  driver->free(memory);
}

/// The driver would wait for it: memory of one device, while a stream of another stands still.
TEST(CudaDriver, MemoryFreedWhileAStreamStandsStill_IsGivenBackBehindThat) {
  const auto driver = acted_driver();
  void* const memory = *driver->allocate(1, 4);
  void* const other = *driver->allocate(1, 4);
  auto words = *driver->allocate_words(1, 4);
  const auto held = *driver->create_stream(0);
  SoftEvent event;
  const auto open = event.begin_record();
  ASSERT_TRUE(held->wait(event).ok());
  driver->free(memory);
  words.reset();
  EXPECT_TRUE(driver->check_memory(1, memory, 4).ok()) << "freed already";
  EXPECT_EQ(driver->frees(), 0U);
  const auto stream = *driver->create_stream(1);
  ASSERT_TRUE(stream->copy(other, memory, 4).ok()) << "others go on";
  ASSERT_TRUE(stream->synchronize().ok());
  open->finish({});
  ASSERT_TRUE(held->synchronize().ok());
  for (int looks = 0; driver->frees() == 0 && looks < 10'000; ++looks)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(driver->check_memory(1, memory, 4).ok());
  driver->free(other);
  EXPECT_FALSE(driver->check_memory(1, other, 4).ok()) << "nothing waits any more";
}

/// Of events that other processes may wait for a context has a few thousand.
TEST(CudaDriver, EventsOfThisProcess_AreNotAmongThoseThatMayBeShared) {
  constexpr int kMore = 5'000;
  const auto driver = acted_driver();
  std::vector<std::shared_ptr<detail::EventImpl>> events;
  for (int i = 0; i < kMore; ++i) {
    auto event = driver->create_event(0);
    ASSERT_TRUE(event.ok()) << event.status().to_string();
    events.push_back(std::move(event).value());
  }
  EXPECT_EQ(driver->export_event(*events[0]).status().code(), ErrorCode::kDevice);
  Status last;
  for (int i = 0; i < kMore && last.ok(); ++i) {
    auto event = driver->create_shared_event(0);
    last = event.status();
    if (event.ok()) events.push_back(std::move(event).value());
  }
  EXPECT_THAT(last.message(), HasSubstr("cuEventCreate"));
}

TEST(CudaDriver, HostsEventThatFails_FailsTheStream) {
  const auto driver = acted_driver();
  const auto stream = *driver->create_stream(0);
  SoftEvent event;
  const auto open = event.begin_record();
  ASSERT_TRUE(stream->wait(event).ok());
  open->finish(Status(ErrorCode::kPeerLost, "rank 2 has gone", 2));
  const Status status = stream->synchronize();
  EXPECT_EQ(status.code(), ErrorCode::kDevice);
  EXPECT_EQ(status.culprit(), 2);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("cuda:0"), HasSubstr("rank 2 has gone")));
}

/// The first of three streams fails as `fail` has it, between two records of its own; the second
/// waits for the later of these, and the third for the second.
void expect_failure_passed_on(const std::function<void(detail::StreamImpl&)>& fail,
                              const std::function<void()>& end, const std::string& why) {
  const auto driver = acted_driver();
  std::array<std::shared_ptr<detail::StreamImpl>, 3> streams;
  for (auto& stream : streams) stream = *driver->create_stream(0);
  const auto& [first, second, third] = streams;
  const auto before = *driver->create_event(0);
  const auto behind = *driver->create_event(0);
  const auto passed_on = *driver->create_event(0);
  ASSERT_TRUE(first->record(*before).ok());
  fail(*first);
  ASSERT_TRUE(first->record(*behind).ok());
  ASSERT_TRUE(second->wait(*before).ok());
  ASSERT_TRUE(second->synchronize().ok()) << "nothing had failed up to there";
  ASSERT_TRUE(second->wait(*behind).ok()) << "told by synchronize";
  ASSERT_TRUE(second->record(*passed_on).ok());
  ASSERT_TRUE(third->wait(*passed_on).ok());
  end();
  for (const Status& status : {behind->wait(), passed_on->wait(), first->synchronize(),
                               second->synchronize(), third->synchronize()}) {
    EXPECT_EQ(status.code(), ErrorCode::kDevice);
    EXPECT_THAT(status.message(), HasSubstr(why));
  }
  EXPECT_TRUE(before->wait().ok());
  const auto fresh = *driver->create_stream(0);
  ASSERT_TRUE(fresh->record(*behind).ok());
  EXPECT_TRUE(behind->wait().ok()) << "recorded anew";
}

TEST(CudaDriver, CopyRefusedAtOnce_FailsEventsBehindIt_AndWhoWaitsForThem) {
  const std::vector<char> host(128);
  void* memory = nullptr;
  const auto owner = acted_driver();
  memory = *owner->allocate(0, 64);
  const auto fail = [&](detail::StreamImpl& stream) {
    EXPECT_EQ(stream.copy(memory, host.data(), 128).code(), ErrorCode::kDevice);
  };
  expect_failure_passed_on(
      fail, [] {}, "cuMemcpyAsync");
  owner->free(memory);
}

TEST(CudaDriver, HostsEventThatFails_FailsEventsBehindIt_AndWhoWaitsForThem) {
  SoftEvent gate;
  const auto open = gate.begin_record();
  const auto hold = [&](detail::StreamImpl& stream) { ASSERT_TRUE(stream.wait(gate).ok()); };
  expect_failure_passed_on(
      hold, [&] { open->finish(Status(ErrorCode::kPeerLost, "rank 2 has gone", 2)); },
      "rank 2 has gone");
}

/// Nor where two streams wait for each other's events.
TEST(CudaDriver, HostsEventThatIsReached_FailsNobody) {
  const auto driver = acted_driver();
  const auto first = *driver->create_stream(0);
  const auto second = *driver->create_stream(0);
  const auto event = *driver->create_event(0);
  const auto back = *driver->create_event(0);
  SoftEvent gate;
  const auto open = gate.begin_record();
  ASSERT_TRUE(first->wait(gate).ok());
  ASSERT_TRUE(first->record(*event).ok());
  ASSERT_TRUE(second->wait(*event).ok());
  ASSERT_TRUE(second->record(*back).ok());
  ASSERT_TRUE(first->wait(*back).ok());
  open->finish({});
  EXPECT_TRUE(first->synchronize().ok());
  EXPECT_TRUE(second->synchronize().ok());
  EXPECT_TRUE(event->wait().ok());
}

TEST(CudaDriver, Events_RingWhenTheyAreReached_WhateverOthersWaitFor) {
  const auto driver = acted_driver();
  const auto held = *driver->create_stream(0);
  const auto free = *driver->create_stream(0);
  const auto late = *driver->create_event(0);
  const auto soon = *driver->create_event(0);
  const auto late_bell = Bell::make().value();
  const auto bell = Bell::make().value();
  SoftEvent gate;
  const auto open = gate.begin_record();
  ASSERT_TRUE(held->wait(gate).ok());
  ASSERT_TRUE(held->record(*late).ok());
  ASSERT_TRUE(late->ring_when_reached(late_bell).ok());
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_TRUE(free->record(*soon).ok());
    ASSERT_TRUE(soon->ring_when_reached(bell).ok());
    EXPECT_TRUE(is_rung(*bell, 10'000));
    bell->silence();
  }
  EXPECT_FALSE(is_rung(*late_bell));
  open->finish({});
  EXPECT_TRUE(is_rung(*late_bell, 10'000));
}

std::ptrdiff_t threads_here() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// The driver calls nobody behind an error: neither the bell nor what was to ring it stays.
TEST(CudaDriver, BellsOfStreamsThatFail_AreNotKept) {
  constexpr int kTurns = 30;
  constexpr int kMostTurns = 300;      // a core that stands still keeps the threads that are on it
  constexpr int kNotLookedForYet = 5;  // they are dropped when one is wanted
  const ScopedVariable later("FAKE_CUDA_TELLS_LATER", "1");
  const auto driver = acted_driver();
  void* const memory = *driver->allocate(0, 64);
  const std::vector<char> host(128);
  const std::ptrdiff_t threads = threads_here();
  const auto are_many = [&] { return threads_here() > threads + kNotLookedForYet; };
  for (int turn = 0; turn < kTurns || (turn < kMostTurns && are_many()); ++turn) {
    const auto stream = *driver->create_stream(0);
    const auto event = *driver->create_event(0);
    auto bell = Bell::make().value();
    const std::weak_ptr<const Bell> kept = bell;
    ASSERT_TRUE(stream->copy(memory, host.data(), 65).ok()) << "told by synchronize";
    ASSERT_TRUE(stream->record(*event).ok());
    ASSERT_TRUE(event->ring_when_reached(bell).ok());
    EXPECT_FALSE(stream->synchronize().ok());
    bell.reset();
    EXPECT_TRUE(kept.expired());
  }
  EXPECT_FALSE(are_many()) << threads_here() << " threads, " << threads << " before";
  driver->free(memory);
}

TEST(CudaDriver, AbandonedStream_IsWaitedForNoMore) {
  const auto driver = acted_driver();
  const auto stream = *driver->create_stream(0);
  SoftEvent never;
  const auto open = never.begin_record();
  ASSERT_TRUE(stream->wait(never).ok());
  stream->abandon(Status(ErrorCode::kPeerLost, "rank 1 has gone", 1));
  EXPECT_EQ(stream->synchronize().code(), ErrorCode::kPeerLost);
  open->finish({});
}

TEST(CudaDriver, Pointers_AreToldWhatTheyAre) {
  const auto driver = acted_driver();
  void* const memory = *driver->allocate(1, 64);
  float host = 0;
  EXPECT_TRUE(driver->check_memory(1, memory, 64).ok());
  EXPECT_THAT(driver->check_memory(0, memory, 64).message(), HasSubstr("is memory of cuda:1"));
  EXPECT_THAT(driver->check_memory(1, memory, 65).message(), HasSubstr("go past the end"));
  EXPECT_THAT(driver->check_memory(1, static_cast<std::byte*>(memory) + 60, 8).message(),
              HasSubstr("go past the end"));
  EXPECT_THAT(driver->check_memory(1, &host, 4).message(), HasSubstr("CUDA doesn't know"));
  EXPECT_THAT(driver->export_memory(&host).status().message(), HasSubstr("not memory of a CUDA"));
  driver->free(memory);
  EXPECT_FALSE(driver->check_memory(1, memory, 64).ok()) << "freed";
}

TEST(CudaDriver, DevicesThatCannotReachEachOther_AreToldBeforeTheyTry) {
  CudaTable table = value_or_throw(load_cuda_table(FAKE_CUDA));
  table.cuDeviceCanAccessPeer = [](int* can, CUdevice, CUdevice) {
    *can = 0;
    return CUDA_SUCCESS;
  };
  const auto driver = value_or_throw(CudaDriver::make(table));
  void* const memory = *driver->allocate(1, 64);
  EXPECT_TRUE(driver->reach(1, memory).ok()) << "its own";
  EXPECT_THAT(driver->reach(0, memory).message(),
              AllOf(HasSubstr("cuda:0"), HasSubstr("RONDO_DEVICE_PATH=host")));
  driver->free(memory);
}

TEST(CudaDriver, DevicesThatItCannotReach_AreNamedByTheirIdentity) {
  const auto driver = acted_driver();
  EXPECT_THAT(*driver->unreachable(1), ::testing::IsEmpty());
  const ScopedVariable pairs("FAKE_CUDA_UNREACHABLE", "1:3,1:0,2:1");
  EXPECT_THAT(*driver->unreachable(1),
              ::testing::ElementsAre(*driver->identity(0), *driver->identity(3)));
  EXPECT_THAT(*driver->unreachable(3), ::testing::IsEmpty());
  EXPECT_EQ(driver->unreachable(4).status().code(), ErrorCode::kInvalidArgument);
}

TEST(CudaDriver, IndexOutOfRange_TellsHowManyThereAre) {
  const auto driver = acted_driver();
  for (const int index : {-1, 4}) {
    EXPECT_THAT(driver->allocate(index, 8).status().message(),
                AllOf(HasSubstr("no device cuda:"), HasSubstr("CUDA_VISIBLE_DEVICES")));
  }
}

TEST(CudaDriver, MemoryUsedUp_SaysHowMuchWasAskedForAndWhatToDo) {
  const auto driver = acted_driver();
  const Status status = driver->allocate(0, std::size_t{1} << 50).status();
  EXPECT_EQ(status.code(), ErrorCode::kDevice);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("1125899906842624 bytes"), HasSubstr("cuda:0"),
                    HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"), HasSubstr("nvidia-smi")));
}

/// What the program freed while something on a device waits may be all that is lacking.
TEST(CudaDriver, MemoryThatIsFreedAndNotGivenBackYet_IsWaitedFor) {
  static std::atomic<int> given_back = 0;
  static auto free_memory = CudaTable().cuMemFree;
  given_back = 0;
  CudaTable table = value_or_throw(load_cuda_table(FAKE_CUDA));
  free_memory = table.cuMemFree;
  table.cuMemFree = [](CUdeviceptr memory) {
    ++given_back;
    return free_memory(memory);
  };
  const auto driver = value_or_throw(CudaDriver::make(table));
  void* const first = *driver->allocate(0, 128);
  CudaFrees::Hold hold = value_or_throw(driver->context(0))->hold();
  driver->free(first);
  EXPECT_EQ(given_back, 0);
  std::jthread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    hold.reset();
  });
  EXPECT_FALSE(driver->allocate(0, std::size_t{1} << 50).ok());
  EXPECT_EQ(given_back, 1) << "before it was asked for again";
}

TEST(CudaDriver, Handles_OfThisProcess_AreRefusedByIt_AndOfAnotherKindByName) {
  const auto driver = acted_driver();
  void* const memory = *driver->allocate(0, 128);
  SharedHandle handle = *driver->export_memory(static_cast<std::byte*>(memory) + 32);
  EXPECT_EQ(handle.bytes, 96U);
  EXPECT_EQ(handle.offset_bytes, 32U);
  EXPECT_THAT(driver->import_memory(0, handle).status().message(), HasSubstr("opening memory of"));
  EXPECT_FALSE(driver->import_event(0, handle).ok()) << "no event";
  handle.kind = DeviceKind::kEmulated;
  EXPECT_FALSE(driver->import_memory(0, handle).ok());
  driver->free(memory);
}

constexpr const char* kOwnerVariable = "RONDO_TEST_OWNER";

/// The other process of the test below: makes memory, and stays until it has been read.
TEST(MemoryOwner, TellsOfItsMemory) {
  const char* const pipes = std::getenv(kOwnerVariable);
  if (pipes == nullptr) GTEST_SKIP() << "started by CudaDriver.HandlesOfAnotherProcess";
  int to_reader = -1, from_reader = -1;
  ASSERT_EQ(std::sscanf(pipes, "%d,%d", &to_reader, &from_reader), 2);
  const auto driver = acted_driver();
  void* const memory = *driver->allocate(0, 64);
  const std::vector<float> data = {0, 1, 2, 3.5F, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const auto stream = *driver->create_stream(0);
  const auto event = *driver->create_shared_event(0);
  const SharedHandle event_handle = *driver->export_event(*event);
  ASSERT_TRUE(stream->copy(memory, data.data(), 64).ok());
  ASSERT_TRUE(stream->record(*event).ok());
  const SharedHandle handle = *driver->export_memory(static_cast<std::byte*>(memory) + 12);
  ASSERT_EQ(::write(to_reader, &handle, sizeof(handle)), ssize_t{sizeof(handle)});
  ASSERT_EQ(::write(to_reader, &event_handle, sizeof(handle)), ssize_t{sizeof(handle)});
  char done = 0;
  EXPECT_EQ(::read(from_reader, &done, 1), 1);
}

/// This program again, as the owner. (A fork alone would have this process's memory, without the
/// threads that belong to it.)
pid_t start_owner(int to_reader, int from_reader) {
  const std::string pipes = std::string(kOwnerVariable) + "=" + std::to_string(to_reader) + "," +
                            std::to_string(from_reader);
  std::string filter = "--gtest_filter=MemoryOwner.*", program = "/proc/self/exe", owner = pipes;
  std::vector<char*> arguments = {program.data(), filter.data(), nullptr};
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  variables.push_back(owner.data());
  variables.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execve(program.c_str(), arguments.data(), variables.data());
    ::_exit(127);
  }
  return child;
}

TEST(CudaDriver, HandlesOfAnotherProcess_ShowItsMemoryFromTheirOffset) {
  int to_parent[2], to_child[2];
  ASSERT_EQ(::pipe(to_parent), 0);
  ASSERT_EQ(::pipe(to_child), 0);
  const pid_t child = start_owner(to_parent[1], to_child[0]);
  ::close(to_parent[1]);  // its end is that of what comes
  SharedHandle handle, event_handle;
  ASSERT_EQ(::read(to_parent[0], &handle, sizeof(handle)), ssize_t{sizeof(handle)});
  ASSERT_EQ(::read(to_parent[0], &event_handle, sizeof(handle)), ssize_t{sizeof(handle)});
  const auto driver = acted_driver();
  const auto event = driver->import_event(1, event_handle);
  ASSERT_TRUE(event.ok()) << event.status().to_string();
  const auto seen = driver->import_memory(1, handle);
  ASSERT_TRUE(seen.ok()) << seen.status().to_string();
  EXPECT_EQ(*driver->import_memory(1, handle), *seen) << "opened once";
  const auto stream = *driver->create_stream(1);
  float got = 0;
  ASSERT_TRUE(stream->wait(**event).ok());
  ASSERT_TRUE(stream->copy(&got, *seen, 4).ok());
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(got, 3.5F);
  driver->release_imported(*seen);
  driver->release_imported(*seen);
  ASSERT_EQ(::write(to_child[1], "x", 1), 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(driver->import_memory(1, handle).status().message(),
              AllOf(HasSubstr("opening memory of cuda:0 of process"), HasSubstr("has ended")));
  for (const int end : {to_parent[0], to_child[0], to_child[1]}) ::close(end);
}

TEST(CudaDriver, HandlesOfAnEndedProcessOrAnotherMachine_AreRefused) {
  int to_parent[2], to_child[2];
  ASSERT_EQ(::pipe(to_parent), 0);
  ASSERT_EQ(::pipe(to_child), 0);
  const pid_t child = start_owner(to_parent[1], to_child[0]);
  ::close(to_parent[1]);
  SharedHandle memory, event;
  ASSERT_EQ(::read(to_parent[0], &memory, sizeof(memory)), ssize_t{sizeof(memory)});
  ASSERT_EQ(::read(to_parent[0], &event, sizeof(event)), ssize_t{sizeof(event)});
  ASSERT_EQ(::write(to_child[1], "x", 1), 1);
  ::waitpid(child, nullptr, 0);
  for (const int end : {to_parent[0], to_child[0], to_child[1]}) ::close(end);
  const auto driver = acted_driver();
  EXPECT_THAT(driver->import_memory(1, memory).status().message(),
              AllOf(HasSubstr("opening memory of cuda:0 of process"), HasSubstr("has ended")));
  EXPECT_THAT(driver->import_event(1, event).status().message(),
              AllOf(HasSubstr("of cuda:0 of process"), HasSubstr("has ended")));
  for (SharedHandle* const handle : {&memory, &event}) handle->host ^= 1;
  EXPECT_THAT(driver->import_memory(1, memory).status().message(), HasSubstr("another machine"));
  EXPECT_THAT(driver->import_event(1, event).status().message(), HasSubstr("another machine"));
}

}  // namespace
}  // namespace rondo::device
