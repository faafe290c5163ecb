// What emulated devices show other processes: memory, and how far events have come.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "core/device/emulated/emulated.h"
#include "core/device/emulated/event_board.h"
#include "core/device/emulated/handle.h"

namespace rondo::device {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMemoryBytes = std::size_t{1} << 20;

std::unique_ptr<DeviceDriver> make_driver() {
  return make_emulated_driver(
      {.devices = 2, .memory_bytes = kMemoryBytes, .lateness = {.longest_us = 20}});
}

char* alias(void* pointer) { return static_cast<char*>(emulated_alias(pointer)); }

/// Another process, which does `work` and ends with what it returned.
class Child {
 public:
  explicit Child(const std::function<int()>& work) : pid_(::fork()) {
    if (pid_ == 0) ::_exit(work());
  }
  int exit_status() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void kill() const {
    ::kill(pid_, SIGKILL);
    exit_status();
  }

 private:
  pid_t pid_;
};

/// Bytes from one process to another.
template <typename T>
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void put(const T& value) { EXPECT_EQ(::write(ends_[1], &value, sizeof(T)), ssize_t{sizeof(T)}); }
  T get() {
    T value{};
    EXPECT_EQ(::read(ends_[0], &value, sizeof(T)), ssize_t{sizeof(T)});
    return value;
  }

 private:
  int ends_[2] = {-1, -1};
};

TEST(EmulatedExport, ImportedInAnotherProcess_IsTheSameMemory) {
  const auto driver = make_driver();
  void* memory = driver->allocate(0, 9'000).value();
  char* inside = static_cast<char*>(memory) + 4'321;
  const SharedHandle exported = driver->export_memory(inside).value();
  EXPECT_EQ(exported.bytes, 9'000U - 4'321U);
  std::strcpy(alias(inside), "from the parent");
  const Child child([&] {
    const auto peer = make_driver();
    const auto imported = peer->import_memory(1, exported);
    if (!imported.ok() || imported.value() == inside) return 2;
    char* seen = alias(imported.value());
    const bool equal = std::strcmp(seen, "from the parent") == 0;
    std::strcpy(seen, "from the child");
    return equal ? 0 : 1;
  });
  EXPECT_EQ(child.exit_status(), 0);
  EXPECT_STREQ(alias(inside), "from the child");
}

TEST(EmulatedExport, Imported_IsKnownToStreamsUntilItIsReleased) {
  const auto driver = make_driver();
  void* memory = driver->allocate(0, 64).value();
  std::strcpy(alias(memory), "seen twice");
  void* imported = driver->import_memory(1, driver->export_memory(memory).value()).value();
  const auto stream = driver->create_stream(1).value();
  std::string host(10, ' ');
  ASSERT_TRUE(stream->copy(host.data(), imported, host.size()).ok());
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(host, "seen twice");
  driver->release_imported(imported);
  EXPECT_EQ(emulated_alias(imported), nullptr);
}

TEST(EmulatedExport, WhatIsNotAllocated_CantBeExported) {
  const auto driver = make_driver();
  char host = 0;
  EXPECT_EQ(driver->export_memory(&host).status().code(), ErrorCode::kInvalidArgument);
  void* pointer = driver->allocate(0, 64).value();
  driver->free(pointer);
  EXPECT_EQ(driver->export_memory(pointer).status().code(), ErrorCode::kInvalidArgument);
}

TEST(EmulatedExport, NumbersThatDontFitTheFile_AreRefused) {
  const auto driver = make_driver();
  SharedHandle memory = driver->export_memory(driver->allocate(0, 64).value()).value();
  memory.bytes = kMemoryBytes + 1;
  EXPECT_EQ(driver->import_memory(0, memory).status().code(), ErrorCode::kInvalidArgument);
  memory.offset_bytes = ~std::uint64_t{0};
  memory.bytes = 2;
  EXPECT_EQ(driver->import_memory(0, memory).status().code(), ErrorCode::kInvalidArgument);
}

TEST(EmulatedExport, HandleOfAnotherMachineOrKindOrThing_IsRefusedWithWhatItWas) {
  const auto driver = make_driver();
  const SharedHandle good = driver->export_memory(driver->allocate(1, 64).value()).value();
  SharedHandle other = good;
  other.host ^= 1;
  Status status = driver->import_memory(0, other).status();
  EXPECT_EQ(status.code(), ErrorCode::kDevice);
  EXPECT_THAT(status.message(), HasSubstr("memory of emulated:1 of process"));
  EXPECT_THAT(status.message(), HasSubstr("another machine"));
  other = good;
  other.kind = DeviceKind::kCuda;
  status = driver->import_memory(0, other).status();
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("memory of cuda:1"));
  EXPECT_EQ(driver->import_event(0, good).status().code(), ErrorCode::kInvalidArgument);
  other.kind = static_cast<DeviceKind>(99);
  EXPECT_THAT(driver->import_memory(0, other).status().message(), HasSubstr("unknown:1"));
}

TEST(EmulatedExport, HandleOfADeadProcess_IsAnErrorThatNamesIt) {
  Pipe<SharedHandle> handles;
  const Child child([&] {
    const auto driver = make_driver();
    handles.put(driver->export_memory(driver->allocate(0, 64).value()).value());
    return ::pause();
  });
  const SharedHandle handle = handles.get();
  child.kill();
  const Status status = make_driver()->import_memory(0, handle).status();
  EXPECT_EQ(status.code(), ErrorCode::kDevice);
  EXPECT_THAT(status.message(), HasSubstr(std::to_string(handle.process)));
  EXPECT_THAT(status.message(), HasSubstr("has ended"));
}

TEST(EmulatedExport, HandleWhoseNumberNamesAnotherFileNow_IsRefused) {
  const auto driver = make_driver();
  SharedHandle handle = driver->export_memory(driver->allocate(0, 64).value()).value();
  ASSERT_TRUE(name_file(handle, STDIN_FILENO).ok());
  const SharedHandle real = driver->export_memory(driver->allocate(0, 64).value()).value();
  EmulatedOpaque opaque = opaque_of(handle);
  opaque.descriptor = opaque_of(real).descriptor;
  std::memcpy(handle.opaque.data(), &opaque, sizeof(opaque));
  EXPECT_EQ(driver->import_memory(0, handle).status().code(), ErrorCode::kDevice);
}

TEST(EmulatedExport, File_CantBeShrunkUnderItsImporters) {
  const auto driver = make_driver();
  const SharedHandle memory = driver->export_memory(driver->allocate(0, 64).value()).value();
  EXPECT_NE(::ftruncate(opaque_of(memory).descriptor, 0), 0);
}

TEST(EmulatedEvents, ExportedEvent_IsWaitedForByAnotherProcess) {
  Pipe<SharedHandle> handles;
  Pipe<char> imported;
  Pipe<char> go;
  Pipe<char> recorded;
  const Child child([&] {
    const auto driver = make_driver();
    const auto event = driver->create_event(1).value();
    const auto stream = driver->create_stream(1).value();
    handles.put(driver->export_event(*event).value());
    imported.get();
    const bool launched = stream->launch([&] { return go.get(), Status(); }).ok();
    if (!launched || !stream->record(*event).ok()) return 1;
    recorded.put('r');
    return stream->synchronize().ok() ? ::pause() : 2;
  });
  const auto driver = make_driver();
  const auto event = driver->import_event(0, handles.get()).value();
  EXPECT_TRUE(event->done()) << "never recorded";
  imported.put('i');
  recorded.get();
  EXPECT_FALSE(event->done());
  const auto waiting = driver->create_stream(0).value();
  ASSERT_TRUE(waiting->wait(*event).ok());
  go.put('g');
  EXPECT_TRUE(waiting->synchronize().ok());
  EXPECT_TRUE(event->done());
  child.kill();
}

TEST(EmulatedEvents, EventOfAProcessThatIsKilled_EndsTheWaitWithItsName) {
  Pipe<SharedHandle> handles;
  Pipe<char> never;
  const Child child([&] {
    const auto driver = make_driver();
    const auto event = driver->create_event(0).value();
    const auto stream = driver->create_stream(0).value();
    const SharedHandle handle = driver->export_event(*event).value();
    const bool launched = stream->launch([&] { return never.get(), Status(); }).ok();
    if (!launched || !stream->record(*event).ok()) return 1;
    handles.put(handle);
    return ::pause();
  });
  const auto driver = make_driver();
  const SharedHandle handle = handles.get();
  const auto event = driver->import_event(1, handle).value();
  const auto waiting = driver->create_stream(1).value();
  ASSERT_TRUE(waiting->wait(*event).ok());
  child.kill();
  const Status status = waiting->synchronize();
  EXPECT_EQ(status.code(), ErrorCode::kDevice);
  EXPECT_THAT(status.message(), HasSubstr(std::to_string(handle.process)));
}

TEST(EmulatedEvents, FailureOfTheRecordingStream_ReachesTheOtherProcess) {
  const auto driver = make_driver();
  const auto event = driver->create_event(0).value();
  const auto seen = driver->import_event(1, driver->export_event(*event).value()).value();
  const auto stream = driver->create_stream(0).value();
  ASSERT_TRUE(stream->record(*event).ok());
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_TRUE(seen->wait().ok());
  ASSERT_TRUE(stream->launch([] { return Status(ErrorCode::kInternal, "broken"); }).ok());
  const auto first = seen->waiter();
  ASSERT_TRUE(stream->record(*event).ok());
  EXPECT_EQ(seen->wait().code(), ErrorCode::kDevice);
  EXPECT_TRUE(first(detail::Abandoned{false}).ok()) << "what was recorded before the failure";
}

TEST(EmulatedEvents, ImportedEvent_CantBeRecordedNorExported) {
  const auto driver = make_driver();
  const auto event = driver->create_event(0).value();
  const auto seen = driver->import_event(1, driver->export_event(*event).value()).value();
  const auto stream = driver->create_stream(1).value();
  EXPECT_EQ(stream->record(*seen).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(driver->export_event(*seen).status().code(), ErrorCode::kInvalidArgument);
}

TEST(EmulatedEvents, HandleOfASlotThatNoBoardHas_IsRefused) {
  const auto driver = make_driver();
  const auto event = driver->create_event(0).value();
  SharedHandle handle = driver->export_event(*event).value();
  EmulatedOpaque opaque = opaque_of(handle);
  opaque.slot = 1'000'000;
  std::memcpy(handle.opaque.data(), &opaque, sizeof(opaque));
  EXPECT_EQ(driver->import_event(0, handle).status().code(), ErrorCode::kInvalidArgument);
}

TEST(EmulatedEvents, MoreThanABoardHasSlots_AreRefusedUntilOneIsGone) {
  const auto driver = make_driver();
  std::vector<std::shared_ptr<detail::EventImpl>> exported;
  Status refused;
  while (refused.ok()) {
    exported.push_back(driver->create_event(0).value());
    refused = driver->export_event(*exported.back()).status();
  }
  EXPECT_EQ(exported.size(), std::size_t{EventBoard::kSlots} + 1);
  EXPECT_EQ(refused.code(), ErrorCode::kDevice);
  EXPECT_THAT(refused.message(), HasSubstr("RONDO_SEGMENT_BYTES"));
  exported.erase(exported.begin());
  EXPECT_TRUE(driver->export_event(*exported.back()).ok());
}

}  // namespace
}  // namespace rondo::device
