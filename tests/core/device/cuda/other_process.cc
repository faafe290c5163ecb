#include "tests/core/device/cuda/other_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "core/device/cuda/driver.h"
#include "core/device/cuda/library.h"
#include "core/unique_fd.h"

namespace rondo::device {
namespace {

Exported exported;

Result<Exported> make(CudaDriver& driver) {
  Exported made;
  RONDO_ASSIGN(const void* const memory, driver.allocate(0, 64));
  RONDO_ASSIGN(made.memory, driver.export_memory(memory));
  // Kept by whoever has it: this process ends with the one that asked for it.
  static std::shared_ptr<detail::EventImpl> event;
  RONDO_ASSIGN(event, driver.create_shared_event(0));
  RONDO_ASSIGN(made.event, driver.export_event(*event));
  return made;
}

/// The other process, from its beginning to its end.
[[noreturn]] void live(int tells, int hears) {
  const auto driver = value_or_throw(CudaDriver::make(value_or_throw(load_cuda_table(FAKE_CUDA))));
  const Result<Exported> made = make(*driver);
  const bool told = made.ok() && ::write(tells, &*made, sizeof(*made)) == sizeof(*made);
  char word = 0;
  if (told) static_cast<void>(::read(hears, &word, 1));  // until the other end is closed
  ::_exit(told ? 0 : 1);
}

class OtherProcess final : public ::testing::Environment {
 public:
  void SetUp() override {
    std::array<int, 2> from{};
    std::array<int, 2> to{};
    ASSERT_EQ(::pipe2(from.data(), O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(to.data(), O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(to[1]);
      live(from[1], to[0]);
    }
    ::close(from[1]);
    ::close(to[0]);
    lives_ = UniqueFd(to[1]);
    const UniqueFd hears(from[0]);
    ASSERT_EQ(::read(hears.get(), &exported, sizeof(exported)), sizeof(exported));
  }
  void TearDown() override {
    lives_.reset();
    EXPECT_EQ(::waitpid(pid_, nullptr, 0), pid_);
  }

 private:
  UniqueFd lives_;
  pid_t pid_ = -1;
};

[[maybe_unused]] const auto* const kOtherProcess =
    ::testing::AddGlobalTestEnvironment(new OtherProcess());

}  // namespace

const Exported& exported_by_other_process() { return exported; }

}  // namespace rondo::device
