// What only a real driver can say of memory that isn't there: its answers, in the words that users
// get. (On the driver that is acted the same answers are what its makers took for CUDA's.)

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/device/driver.h"
#include "core/device/shared_handle.h"

namespace rondo::device {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Device kFirst{DeviceKind::kCuda, 0};
constexpr const char* kOwnerVariable = "RONDO_TEST_OWNER";
constexpr std::size_t kCount = 16;

DeviceDriver* driver_here() {
  const auto driver = driver_of(kFirst);
  return driver.ok() && *(*driver)->device_count() > 0 ? *driver : nullptr;
}

class GpuDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    driver_ = driver_here();
    if (driver_ == nullptr) GTEST_SKIP() << "there is no GPU here";
  }
  DeviceDriver* driver_ = nullptr;
};

TEST_F(GpuDevice, MemoryUsedUp_SaysHowMuchWasAskedForAndWhatToDo) {
  const Status status = driver_->allocate(0, std::size_t{1} << 46).status();
  EXPECT_EQ(status.code(), ErrorCode::kDevice);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("70368744177664 bytes"), HasSubstr("cuda:0"),
                                      HasSubstr("OUT_OF_MEMORY"), HasSubstr("nvidia-smi")));
  void* const memory = value_or_throw(driver_->allocate(0, 64));
  driver_->free(memory);
}

TEST_F(GpuDevice, PointersThatArentItsMemory_AreToldWhatTheyAre) {
  void* const memory = value_or_throw(driver_->allocate(0, 64));
  float host = 0;
  EXPECT_TRUE(driver_->check_memory(0, memory, 64).ok());
  EXPECT_THAT(driver_->check_memory(0, &host, 4).message(), HasSubstr("CUDA doesn't know"));
  EXPECT_THAT(driver_->check_memory(0, memory, std::size_t{1} << 46).message(),
              HasSubstr("go past the end"));
  driver_->free(memory);
  EXPECT_FALSE(driver_->check_memory(0, memory, 64).ok()) << "freed";
}

/// What the owner tells.
struct Told {
  SharedHandle memory{};
  SharedHandle event{};
};

/// The other process: makes memory, and stays until it has been read.
TEST(GpuOwner, TellsOfItsMemory) {
  const char* const pipes = std::getenv(kOwnerVariable);
  if (pipes == nullptr) GTEST_SKIP() << "started by GpuHandles";
  int tells = -1;
  int hears = -1;
  ASSERT_EQ(std::sscanf(pipes, "%d,%d", &tells, &hears), 2);
  DeviceDriver* const driver = driver_here();
  ASSERT_NE(driver, nullptr);
  void* const memory = value_or_throw(driver->allocate(0, kCount * sizeof(float)));
  std::vector<float> values(kCount);
  for (std::size_t i = 0; i < kCount; ++i) values[i] = 0.5F + static_cast<float>(i);
  const auto stream = value_or_throw(driver->create_stream(0));
  const auto event = value_or_throw(driver->create_shared_event(0));
  Told told;
  told.event = value_or_throw(driver->export_event(*event));
  told.memory = value_or_throw(driver->export_memory(static_cast<float*>(memory) + 3));
  ASSERT_TRUE(stream->copy(memory, values.data(), kCount * sizeof(float)).ok());
  ASSERT_TRUE(stream->record(*event).ok());
  ASSERT_EQ(::write(tells, &told, sizeof(told)), ssize_t{sizeof(told)});
  char done = 0;
  EXPECT_EQ(::read(hears, &done, 1), 1);
}

/// This program again, which lives until it is told.
class Owner {
 public:
  Owner() {
    std::array<int, 2> from{};
    std::array<int, 2> to{};
    EXPECT_EQ(::pipe(from.data()), 0);
    EXPECT_EQ(::pipe(to.data()), 0);
    ::setenv(kOwnerVariable, fmt::format("{},{}", from[1], to[0]).c_str(), 1);
    child_ = ::fork();
    if (child_ == 0) {
      ::execl("/proc/self/exe", "owner", "--gtest_filter=GpuOwner.*", nullptr);
      ::_exit(127);
    }
    ::unsetenv(kOwnerVariable);
    ::close(from[1]);  // its end is that of what comes
    ::close(to[0]);
    EXPECT_EQ(::read(from[0], &told_, sizeof(told_)), ssize_t{sizeof(told_)});
    ::close(from[0]);
    tells_ = to[1];
  }
  ~Owner() { end(); }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  void end() {
    if (child_ < 0) return;
    EXPECT_EQ(::write(tells_, "x", 1), 1);
    ::close(tells_);
    int status = 0;
    ::waitpid(std::exchange(child_, -1), &status, 0);
    EXPECT_EQ(status, 0) << "of the owner";
  }
  const Told& told() const { return told_; }

 private:
  Told told_;
  int tells_ = -1;
  pid_t child_ = -1;
};

class GpuHandles : public GpuDevice {};

TEST_F(GpuHandles, OfAProcess_ShowItsMemory_AndThatItHasEnded) {
  Owner owner;
  const auto event = driver_->import_event(0, owner.told().event);
  ASSERT_TRUE(event.ok()) << event.status().to_string();
  const auto seen = driver_->import_memory(0, owner.told().memory);
  ASSERT_TRUE(seen.ok()) << seen.status().to_string();
  const auto stream = value_or_throw(driver_->create_stream(0));
  float got = 0;
  ASSERT_TRUE(stream->wait(**event).ok());
  ASSERT_TRUE(stream->copy(&got, *seen, sizeof(got)).ok());
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(got, 3.5F);
  driver_->release_imported(*seen);
  owner.end();
  EXPECT_THAT(driver_->import_memory(0, owner.told().memory).status().message(),
              AllOf(HasSubstr("opening memory of cuda:0 of process"), HasSubstr("has ended")));
}

TEST_F(GpuHandles, OfAProcessThatHasEnded_AreRefused) {
  Owner owner;
  owner.end();
  EXPECT_THAT(driver_->import_memory(0, owner.told().memory).status().message(),
              AllOf(HasSubstr("opening memory of cuda:0 of process"), HasSubstr("has ended")));
  EXPECT_THAT(driver_->import_event(0, owner.told().event).status().message(),
              AllOf(HasSubstr("of cuda:0 of process"), HasSubstr("has ended")));
}

/// Its maker has it already.
TEST_F(GpuHandles, OfThisProcess_AreRefused) {
  void* const memory = value_or_throw(driver_->allocate(0, 64));
  const SharedHandle handle = value_or_throw(driver_->export_memory(memory));
  EXPECT_THAT(driver_->import_memory(0, handle).status().message(), HasSubstr("opening memory of"));
  driver_->free(memory);
}

}  // namespace
}  // namespace rondo::device
