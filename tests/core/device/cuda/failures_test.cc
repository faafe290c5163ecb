// Every function of the CUDA driver that Rondo calls fails once, at each of its calls: whoever
// asked is told which function of which device failed, with the driver's own words; nothing is
// leaked, and nothing hangs. And what the remedies say.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "collectives/kernels/device_reduce.h"
#include "core/device/cuda/driver.h"
#include "core/device/cuda/library.h"
#include "core/device/cuda/status.h"
#include "core/device/cuda/stream.h"
#include "core/device/soft_event.h"
#include "tests/core/device/cuda/other_process.h"
#include "tests/core/device/cuda/replaced.h"

namespace rondo::device {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

#define RONDO_TEXT_OF(name) #name
#define RONDO_REPLACEMENT(name) {RONDO_TEXT_OF(name), &replace<&CudaTable::name, CudaTable>},
const std::map<std::string, void (*)(CudaTable&)>& replacements() {
  static const std::map<std::string, void (*)(CudaTable&)> all = {
      RONDO_CUDA_FUNCTIONS(RONDO_REPLACEMENT)};
  return all;
}

int live() {
  static const auto function = reinterpret_cast<int (*)()>(
      ::dlsym(::dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL), "fake_cuda_live"));
  return function();
}

/// Memory and a stream's work, from the driver's start to its end; the first error.
Status use_reduction(CudaDriver& driver, detail::StreamImpl& stream, void* memory) {
  RONDO_ASSIGN(const auto kernel, kernels::find_device_reduce_kernel(
                                      DeviceKind::kCuda, DataType::kF32, ReduceOp::kSum));
  const std::array<const void*, 2> sources = {memory, memory};
  RONDO_TRY(kernel(stream, {.sources = sources, .targets = {&memory, 1}, .count = 16}));
  return driver.check_memory(0, memory, 64);
}

Status use_stream(CudaDriver& driver, void* memory) {
  RONDO_ASSIGN(const auto stream, driver.create_stream(0));
  RONDO_ASSIGN(const auto event, driver.create_shared_event(0));
  RONDO_TRY(driver.export_event(*event).status());
  RONDO_TRY(driver.export_memory(memory).status());
  // Kept: a stream that could not be waited for goes on with them.
  static const std::vector<float> data(16, 1.25F);
  static std::vector<float> sums(16);
  sums.assign(16, 0);
  if (stream->is_capturing()) return Status(ErrorCode::kInternal, "nobody captures it");
  RONDO_TRY(stream->copy(memory, data.data(), 64));
  SoftEvent open;
  RONDO_TRY(stream->wait(open));
  RONDO_TRY(use_reduction(driver, *stream, memory));
  RONDO_TRY(stream->record(*event));
  const auto bell = value_or_throw(Bell::make());
  RONDO_TRY(event->ring_when_reached(bell));
  RONDO_TRY(stream->wait(*event));
  RONDO_TRY(stream->copy(sums.data(), memory, 64));
  RONDO_TRY(stream->synchronize());
  RONDO_TRY(event->wait());
  return sums[7] == 2.5F ? Status() : Status(ErrorCode::kInternal, "a wrong sum");
}

/// What another process has exported.
Status use_of_others(CudaDriver& driver) {
  const Exported& theirs = exported_by_other_process();
  RONDO_ASSIGN(const auto event, driver.import_event(0, theirs.event));
  RONDO_TRY(event->wait());
  RONDO_ASSIGN(void* const memory, driver.import_memory(0, theirs.memory));
  driver.release_imported(memory);
  return {};
}

Status use(const CudaTable& table) {
  RONDO_TRY(check_cuda_version(table));
  RONDO_ASSIGN(const auto driver, CudaDriver::make(table));
  RONDO_ASSIGN(void* const memory, driver->allocate(0, 64));
  Status status = driver->identity(0).status();
  if (status.ok()) status = driver->reach(1, memory);
  if (status.ok()) status = driver->unreachable(0).status();
  if (status.ok()) status = use_stream(*driver, memory);
  if (status.ok()) status = use_of_others(*driver);
  driver->free(memory);
  return status;
}

bool names_any(const std::string& function, std::initializer_list<const char*> names) {
  return std::ranges::any_of(
      names, [&](const char* name) { return function.find(name) != std::string::npos; });
}

/// What it didn't give back is the driver's to account for.
bool gives_back(const std::string& function) {
  return names_any(function, {"Destroy", "Free", "Release", "Close", "Unload"});
}

/// Those that may fail without who asked being told: when things are given back.
bool may_fail_silently(const std::string& function) {
  return gives_back(function) ||
         names_any(function, {"PushCurrent", "PopCurrent", "PointerGetAttributes", "cuStreamQuery",
                              "cuStreamIsCapturing", "CaptureMode"});
}

class CudaFailures : public ::testing::TestWithParam<std::string> {};

TEST_P(CudaFailures, EachCallOfIt_IsToldWithItsName_AndNothingLeaks) {
  const std::string function = GetParam();
  failure<CUresult> = CUDA_ERROR_UNKNOWN;
  replacement.fails_behind = gives_back(function);
  int failed = 0;
  int told = 0;
  int& calls_before_failure = replacement.calls_before_failure;
  const int& calls_seen = replacement.calls_seen;
  for (calls_before_failure = 0;; ++calls_before_failure) {
    CudaTable table = value_or_throw(load_cuda_table(FAKE_CUDA));
    replacements().at(function)(table);
    replacement.calls_seen = 0;
    const int live_before = live();
    const Status status = use(table);
    if (calls_seen <= calls_before_failure) {
      EXPECT_TRUE(status.ok()) << "it never failed: " << status.to_string();
      break;
    }
    ++failed;
    if (status.ok()) {
      EXPECT_TRUE(may_fail_silently(function)) << function << " at " << calls_before_failure;
    } else {
      ++told;
      const std::string plain = function.substr(0, function.find('_'));
      EXPECT_THAT(status.to_string(), AllOf(HasSubstr(plain), HasSubstr("CUDA_ERROR_UNKNOWN")));
    }
    // Of a stream that can't be asked whether it is done, what it may still look at is kept.
    if (!gives_back(function) &&
        !names_any(function, {"cuStreamQuery", "PushCurrent", "CaptureMode"})) {
      EXPECT_EQ(live(), live_before) << function << " at call " << calls_before_failure;
    }
  }
  // Texts of errors come last here.
  const bool is_used = !names_any(function, {"GetError"});
  EXPECT_EQ(failed > 0, is_used) << "calls of " << function;
  // Whether a stream is captured is asked before what would fail as well.
  const bool is_told = is_used && !names_any(function, {"PopCurrent", "cuStreamIsCapturing"});
  EXPECT_TRUE(told > 0 || !is_told || gives_back(function)) << "no failure of it is told";
}

std::vector<std::string> functions() {
  std::vector<std::string> names;
  for (const auto& [name, function] : replacements()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Functions, CudaFailures, ::testing::ValuesIn(functions()),
                         [](const auto& parameter) { return parameter.param; });

/// What comes of a function's first call failing with `code`.
Status use_where(const std::string& function, CUresult code) {
  failure<CUresult> = code;
  replacement = {};
  CudaTable table = value_or_throw(load_cuda_table(FAKE_CUDA));
  for (const auto& [name, replace_it] : replacements())
    if (name.substr(0, name.find('_')) == function) replace_it(table);
  Status status = use(table);
  EXPECT_GT(replacement.calls_seen, 0) << function << " isn't called";
  return status;
}

// The program's own runtime library may have done that.
TEST(CudaFailureCodes, PeerAccessThatIsEnabledAlready_IsNone) {
  const Status status = use_where("cuCtxEnablePeerAccess", CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_TRUE(status.ok()) << status.to_string();
}

TEST(CudaFailureCodes, EventThatCantBeAsked_IsNotTakenForReached_ByWhoDoesntWait) {
  CudaTable table = value_or_throw(load_cuda_table(FAKE_CUDA));
  table.cuEventQuery = [](CUevent) { return CUDA_ERROR_UNKNOWN; };
  const auto driver = value_or_throw(CudaDriver::make(table));
  const auto event = *driver->create_event(0);
  EXPECT_THAT(event->reached().status().message(), HasSubstr("cuEventQuery"));
  EXPECT_TRUE(event->done()) << "whoever waits for it is told why";
}

TEST(CudaFailureCodes, ThatCallsFailWith_AreToldWithWhatToDo) {
  const struct {
    const char* function;
    CUresult code;
    const char* name;
    const char* remedy;
  } failures[] = {{"cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY",
                   "the device's memory is used up: free some"},
                  {"cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY",
                   "the device's memory is used up: free some"},
                  {"cuIpcGetMemHandle", CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED",
                   "RONDO_DEVICE_PATH=host asks least of it"},
                  {"cuStreamWaitValue32", CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED",
                   "RONDO_DEVICE_PATH=host asks least of it"},
                  {"cuIpcOpenMemHandle", CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE",
                   "that process has ended, or has freed what it gave"},
                  {"cuIpcOpenEventHandle", CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE",
                   "that process has ended, or has freed what it gave"},
                  {"cuCtxEnablePeerAccess", CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
                   "CUDA_ERROR_OTHER, 217", "can't reach each other's memory"}};
  for (const auto& [function, code, name, remedy] : failures) {
    const Status status = use_where(function, code);
    EXPECT_EQ(status.code(), ErrorCode::kDevice) << function;
    EXPECT_THAT(status.to_string(), AllOf(HasSubstr(function), HasSubstr(name), HasSubstr(remedy)));
  }
}

Status status_of(CUresult code) {
  static const CudaTable table = value_or_throw(load_cuda_table(FAKE_CUDA));
  return cuda_status(table, {DeviceKind::kCuda, 2}, "cuMemAlloc", code);
}

TEST(CudaStatus, CodesThatUsersMeet_HaveARemedy) {
  EXPECT_TRUE(status_of(CUDA_SUCCESS).ok());
  EXPECT_THAT(status_of(CUDA_ERROR_OUT_OF_MEMORY).message(),
              AllOf(HasSubstr("cuMemAlloc of cuda:2 failed"), HasSubstr("nvidia-smi")));
  EXPECT_THAT(status_of(CUDA_ERROR_NO_DEVICE).message(), HasSubstr("CUDA_VISIBLE_DEVICES"));
  EXPECT_THAT(status_of(CUDA_ERROR_DEVICE_UNAVAILABLE).message(), HasSubstr("compute mode"));
  EXPECT_THAT(status_of(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH).message(), HasSubstr("two versions"));
  EXPECT_THAT(status_of(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE).message(),
              HasSubstr("forward-compatibility"));
  EXPECT_THAT(status_of(CUDA_ERROR_SYSTEM_NOT_READY).message(), HasSubstr("fabricmanager"));
  EXPECT_THAT(status_of(CUDA_ERROR_STUB_LIBRARY).message(), HasSubstr("LD_LIBRARY_PATH"));
  EXPECT_THAT(status_of(CUDA_ERROR_NO_BINARY_FOR_GPU).message(), HasSubstr("8.0"));
  EXPECT_THAT(status_of(CUDA_ERROR_ILLEGAL_ADDRESS).message(), HasSubstr("compute-sanitizer"));
  EXPECT_THAT(status_of(CUDA_ERROR_ECC_UNCORRECTABLE).message(), HasSubstr("damaged"));
  EXPECT_THAT(status_of(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED).message(),
              HasSubstr("RONDO_DEVICE_PATH=host"));
  EXPECT_THAT(status_of(CUDA_ERROR_MAP_FAILED).message(), HasSubstr("has ended"));
  EXPECT_THAT(status_of(CUDA_ERROR_NOT_FOUND).message(), HasSubstr("(CUDA_ERROR_OTHER, 500)"));
}

TEST(CudaStatus, DriverWithoutWords_IsQuotedByNumber) {
  CudaTable table = value_or_throw(load_cuda_table(FAKE_CUDA));
  table.cuGetErrorName = [](CUresult, const char**) { return CUDA_ERROR_INVALID_VALUE; };
  table.cuGetErrorString = [](CUresult, const char**) { return CUDA_ERROR_INVALID_VALUE; };
  EXPECT_THAT(cuda_status(table, "cuInit", CUDA_ERROR_UNKNOWN).message(),
              HasSubstr("cuInit failed: no text (unknown code, 999)"));
}

TEST(CudaDriverWithoutDevices, HasNone) {
  CudaTable table = value_or_throw(load_cuda_table(FAKE_CUDA));
  table.cuInit = [](unsigned int) { return CUDA_ERROR_NO_DEVICE; };
  EXPECT_EQ(*value_or_throw(CudaDriver::make(table))->device_count(), 0);
}

}  // namespace
}  // namespace rondo::device
