// A device that fails in the middle of calls: rank 1's refuses an allocation, a stream, an event,
// an export or an import, each that the calls ask for, one after the other, each in a world of its
// own. All ranks' calls end with an error that says what to do, nothing is left of the world, and
// the next one works. To be started by a launcher, on the kind of device that RONDO_TEST_DEVICE
// names, and by the way that RONDO_DEVICE_PATH names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/open_things.h"
#include "tests/collectives/communicator/own_device.h"
#include "tests/collectives/communicator/watch_device.h"

namespace rondo::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr int kVictim = 1;
constexpr int kAll = -1;
constexpr std::size_t kPart = 5'003;
/// Longer than all of it takes, and much shorter than the deadline of a call.
constexpr std::chrono::seconds kSoon{30};

/// With what the program itself has on the device: nothing of it is asked for in a call.
class FailingDevice : public ::testing::Test {
 protected:
  FailingDevice()
      : all_(Communicator::create({}, own_device())),
        device_(watch_device(all_.device().kind)),
        whole_(kPart * static_cast<std::size_t>(all_.size())),
        memory_(all_.device(), 2 * whole_, false) {
    memory_.write(0, std::vector<float>(2 * whole_, 0));
  }

  bool is_victim() const { return all_.rank() == kVictim; }
  std::vector<std::function<void(Communicator&)>> calls();
  std::string error_of_calls(Communicator& world);
  void warm_up();
  bool on_any(bool mine, int rank);
  void check_error(const std::string& error, const std::string& operation) const;
  bool fail_once(const std::string& operation, int number);

  Communicator all_;
  const WatchedDevice& device_;
  std::size_t whole_;
  Memory<float> memory_;
  std::optional<Stream> stream_;  ///< of each world; a call that fails in it fails it
  int survived_ = 0;              ///< by the world: the call of the victim alone failed
  int got_by_ = 0;                ///< no call failed with it
};

std::vector<std::function<void(Communicator&)>> FailingDevice::calls() {
  const Buffer part = memory_.buffer(0, kPart);
  const Buffer whole = memory_.buffer(0, whole_);
  const Buffer other_part = memory_.buffer(whole_, kPart);
  const Buffer other_whole = memory_.buffer(whole_, whole_);
  return {[=](Communicator& world) { world.all_reduce(part); },
          [=](Communicator& world) { world.reduce_scatter(whole, other_part); },
          [=](Communicator& world) { world.all_to_all(whole, other_whole); },
          [=, this](Communicator& world) {
            world.start(Call::all_reduce(whole, ReduceOp::kProd).on(*stream_)).wait();
          },
          // Who was done with the last learns here that another wasn't.
          [](Communicator& world) { world.barrier(); }};
}

/// The first, and all calls after it have one, too; or none has, where the communicator goes on.
std::string FailingDevice::error_of_calls(Communicator& world) {
  const auto begun = std::chrono::steady_clock::now();
  std::vector<std::string> errors;
  for (const auto& call : calls()) {
    try {
      call(world);
      errors.emplace_back();
    } catch (const Error& error) {
      errors.emplace_back(error.what());
    }
  }
  const auto first = std::ranges::find_if(errors, [](const auto& text) { return !text.empty(); });
  EXPECT_LT(std::chrono::steady_clock::now() - begun, kSoon) << ::testing::PrintToString(errors);
  if (first == errors.end()) return "";
  const bool goes_on = errors.back().empty();
  for (auto later = first + 1; later != errors.end(); ++later)
    EXPECT_EQ(later->empty(), goes_on) << ::testing::PrintToString(errors);
  return *first;
}

/// Agreed upon by way of the host, where nothing fails. `rank`: of that one, or kAll.
bool FailingDevice::on_any(bool mine, int rank) {
  float value = mine && (rank == kAll || rank == all_.rank()) ? 1 : 0;
  all_.all_reduce({&value, 1, DataType::kF32, Device::host()}, ReduceOp::kMax);
  return value > 0;
}

/// What failed, of which device, how much of it, and what there is to do.
void FailingDevice::check_error(const std::string& error, const std::string& operation) const {
  EXPECT_THAT(error, HasSubstr(std::string(to_string(all_.device().kind)) + ":1"));
  if (operation == "allocate") {
    EXPECT_THAT(error, HasSubstr(" bytes"));
  }
  EXPECT_THAT(error, AnyOf(HasSubstr("RONDO_EMULATED_FAULTS"), HasSubstr("nvidia-smi"),
                           HasSubstr("has ended"), HasSubstr("RONDO_DEVICE_PATH=host"),
                           HasSubstr("may have ended"), HasSubstr("free some")));
}

/// What is the process's for good comes with the first calls.
void FailingDevice::warm_up() {
  stream_.emplace(all_.device());
  for (int i = 0; i < 3; ++i) {
    std::optional<Communicator> world = all_.split(0, all_.rank());
    EXPECT_EQ(error_of_calls(*world), "");
  }
  stream_.reset();
}

/// Whether there was such an operation.
bool FailingDevice::fail_once(const std::string& operation, int number) {
  const std::string fault = operation + ":" + std::to_string(number);
  SCOPED_TRACE(fault);
  const OpenThings before = OpenThings::now(&device_);
  stream_.emplace(all_.device());
  std::string error;
  bool refused = false;
  {
    std::optional<Communicator> world = all_.split(0, all_.rank());
    if (is_victim()) device_.plan_faults(fault.c_str());
    error = error_of_calls(*world);
    refused = is_victim() && device_.failed() > 0;
    device_.plan_faults("");
  }
  stream_.reset();
  expect_no_more_open_than(before, fault, &device_);
  refused = on_any(refused, kAll);
  const bool is_told = on_any(!error.empty(), kAll);
  const bool victim_is_told = on_any(!error.empty(), kVictim);
  const bool others_are_told = on_any(!error.empty() && !is_victim(), kAll);
  const bool all_are_told = !on_any(error.empty(), kAll);
  EXPECT_TRUE(refused || !is_told) << error;
  EXPECT_TRUE(victim_is_told || !is_told) << error;
  EXPECT_EQ(all_are_told, others_are_told) << error;
  if (!error.empty()) check_error(error, operation);
  if (refused && !is_told) ++got_by_;
  if (is_told && !others_are_told) ++survived_;
  return refused;
}

/// Where an import fails its process looks for a second whether it is for a peer that was lost.
int next(const std::string& operation, int number) {
  return operation == "import" ? 2 * number : number + 1;
}

TEST_F(FailingDevice, WhateverItRefuses_EndsTheCallOnAllRanks_AndLeavesNothing) {
  warm_up();
  std::string refused;
  for (const char* const operation : {"allocate", "stream", "event", "export", "import"}) {
    int number = 1;
    int times = 0;
    while (!HasFailure() && fail_once(operation, number)) {
      ++times;
      number = next(operation, number);
    }
    refused += std::string(" ") + operation + " " + std::to_string(times);
  }
  std::printf("failing done: rank %d of %d:%s, survived %d, got by %d\n", all_.rank(), all_.size(),
              refused.c_str(), survived_, got_by_);
}

}  // namespace
}  // namespace rondo::testing
