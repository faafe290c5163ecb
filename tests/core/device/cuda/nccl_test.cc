// NCCL by its table: what is opened, and that every function that fails, at each of its calls, is
// told by name without anything leaking or hanging.

#include "core/device/cuda/nccl/nccl.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/device/cuda/library.h"
#include "core/device/cuda/nccl/adapter.h"
#include "core/device/cuda/nccl/library.h"
#include "core/device/cuda/nccl/status.h"
#include "tests/core/device/cuda/replaced.h"

namespace rondo::device {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

NcclTable acted() { return value_or_throw(load_nccl_table({FAKE_CUDA})); }

CudaDriver& driver() {
  // Kept for good: what the acted driver has for each thread is gone when static objects go.
  static CudaDriver& made =
      *value_or_throw(CudaDriver::make(value_or_throw(load_cuda_table(FAKE_CUDA)))).release();
  return made;
}

TEST(NcclLibrary, WhereThereIsNone_IsSaidWithARemedy) {
  EXPECT_THAT(
      load_nccl_table({"/nowhere/libnccl.so.2"}).status().to_string(),
      AllOf(HasSubstr("Unsupported"), HasSubstr("/nowhere/libnccl.so.2"), HasSubstr("RONDO_NCCL")));
  EXPECT_THAT(load_nccl_table({"libm.so.6"}).status().message(),
              AllOf(HasSubstr("libm.so.6"), HasSubstr("ncclGetVersion"), HasSubstr("2.18.1")));
  ::setenv("FAKE_NCCL_VERSION", "21003", 1);
  EXPECT_THAT(load_nccl_table({FAKE_CUDA}).status().message(),
              AllOf(HasSubstr("2.10.3"), HasSubstr("2.18.1 or newer")));
  ::unsetenv("FAKE_NCCL_VERSION");
}

/// As where a system's is too old, and a Python environment has another.
TEST(NcclLibrary, WhereTheFirstIsOfNoUse_TheNextIsTaken) {
  EXPECT_TRUE(load_nccl_table({"/nowhere/libnccl.so.2", "libm.so.6", FAKE_CUDA}).ok());
  EXPECT_THAT(load_nccl_table({"libm.so.6", "/nowhere/libnccl.so.2"}).status().message(),
              AllOf(HasSubstr("libm.so.6 has no function ncclGetVersion"),
                    HasSubstr("; /nowhere/libnccl.so.2"), HasSubstr("RONDO_NCCL")));
}

TEST(NcclLibrary, NamedPathsAreFilesOrFolders) {
  const std::string folder = std::filesystem::temp_directory_path();
  ::setenv("RONDO_NCCL", ("/a/libnccl.so.2.28::" + folder).c_str(), 1);
  EXPECT_THAT(nccl_library_paths(),
              ::testing::ElementsAre("/a/libnccl.so.2.28", folder + "/libnccl.so.2"));
  EXPECT_EQ(open_nccl(driver()).status().code(), ErrorCode::kUnsupported) << "it was named";
  ::setenv("RONDO_NCCL", "off", 1);
  EXPECT_EQ(value_or_throw(open_nccl(driver())), nullptr);
  ::unsetenv("RONDO_NCCL");
}

TEST(NcclLibrary, PackagesOfThePythonEnvironment_AreFound) {
  namespace fs = std::filesystem;
  const fs::path environment = fs::path(::testing::TempDir()) / "rondo_nccl_environment";
  const fs::path folder = environment / "lib/python3.11/site-packages/nvidia/nccl/lib";
  fs::create_directories(folder);
  fs::create_directories(environment / "lib/pkgconfig");
  fs::copy_file(FAKE_CUDA, folder / "libnccl.so.2", fs::copy_options::overwrite_existing);
  ::setenv("VIRTUAL_ENV", environment.c_str(), 1);
  EXPECT_THAT(nccl_library_paths(),
              ::testing::ElementsAre("libnccl.so.2", (folder / "libnccl.so.2").string()));
  ::unsetenv("VIRTUAL_ENV");
  fs::remove_all(environment);
}

TEST(NcclLibrary, SaysWhatItIs) {
  const auto library = value_or_throw(adapt_nccl(driver(), acted()));
  EXPECT_EQ(library->name(), "nccl");
  EXPECT_EQ(library->version(), "nccl 2.28.7");
  EXPECT_TRUE(library->needs_own_device());
  EXPECT_TRUE(library->reduces(DataType::kBF16, ReduceOp::kAvg));
  EXPECT_FALSE(library->reduces(DataType::kI32, ReduceOp::kAvg)) << "which way is it rounded?";
  EXPECT_FALSE(library->reduces(DataType::kU8, ReduceOp::kBitXor));
  EXPECT_TRUE(library->reduces(DataType::kI64, ReduceOp::kMax));
  for (const ReduceOp op : {ReduceOp::kMin, ReduceOp::kMax})
    EXPECT_FALSE(library->reduces(DataType::kF16, op)) << "it passes over NaNs";
}

Status wait_until_ready(LibraryCommunicator& communicator) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < until) {
    RONDO_ASSIGN(const bool ready, communicator.ready());
    if (ready) return {};
    std::this_thread::yield();
  }
  return Status(ErrorCode::kTimeout, "never ready");
}

/// Everything that can be asked of a communicator, one after the other.
Status ask_all(LibraryCommunicator& communicator, detail::StreamImpl& stream, float* memory) {
  const LibraryBuffers buffers{memory, memory, 16, DataType::kF32};
  const std::vector<std::function<Status()>> questions = {
      [&] { return communicator.all_reduce(buffers, ReduceOp::kSum, stream); },
      [&] { return communicator.reduce(buffers, ReduceOp::kMax, 0, stream); },
      [&] { return communicator.broadcast(buffers, 0, stream); },
      [&] { return communicator.all_gather(buffers, stream); },
      [&] { return communicator.reduce_scatter(buffers, ReduceOp::kMin, stream); },
      [&]() -> Status {
        // To itself, of which the acted one knows nothing; it is asked all the same.
        RONDO_TRY(communicator.begin_group());
        RONDO_TRY(communicator.send({memory, nullptr, 0, DataType::kF32}, 0, stream));
        RONDO_TRY(communicator.receive({nullptr, memory, 0, DataType::kF32}, 0, stream));
        return communicator.end_group();
      }};
  for (const auto& question : questions) {
    RONDO_TRY(question());
    RONDO_TRY(wait_until_ready(communicator));
  }
  return stream.synchronize();
}

Status use(const NcclTable& table) {
  RONDO_ASSIGN(const auto library, adapt_nccl(driver(), table));
  RONDO_ASSIGN(const auto id, library->make_id());
  RONDO_ASSIGN(const auto stream, driver().create_stream(0));
  RONDO_ASSIGN(void* const memory, driver().allocate(0, 64));
  auto communicator = library->join(0, id, 0, 1);
  Status status = communicator.status();
  if (status.ok()) status = wait_until_ready(**communicator);
  if (status.ok()) status = ask_all(**communicator, *stream, static_cast<float*>(memory));
  driver().free(memory);
  return status;
}

#define RONDO_NCCL_REPLACEMENT(name) {#name, &replace<&NcclTable::name, NcclTable>},
const std::map<std::string, void (*)(NcclTable&)>& replacements() {
  static const std::map<std::string, void (*)(NcclTable&)> all = {
      RONDO_NCCL_FUNCTIONS(RONDO_NCCL_REPLACEMENT)};
  return all;
}

int live() {
  static const auto function = reinterpret_cast<int (*)()>(
      ::dlsym(::dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL), "fake_cuda_live"));
  return function();
}

/// Until the thread that gives up a communicator has left.
void wait_until_live(int count) {
  for (int looks = 0; live() != count && looks < 20'000; ++looks)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(live(), count);
}

class NcclFailures : public ::testing::TestWithParam<std::string> {};

TEST_P(NcclFailures, EachCallOfIt_IsToldWithItsName_AndNothingLeaks) {
  const std::string function = GetParam();
  const bool leaves = function == "ncclCommFinalize" || function == "ncclCommDestroy";
  failure<ncclResult_t> = ncclInternalError;
  replacement.fails_behind = leaves;
  int failed = 0;
  EXPECT_TRUE(use(acted()).ok());
  for (replacement.calls_before_failure = 0;; ++replacement.calls_before_failure) {
    NcclTable table = acted();
    replacements().at(function)(table);
    replacement.calls_seen = 0;
    const int live_before = live();
    const Status status = use(table);
    if (replacement.calls_seen <= replacement.calls_before_failure) {
      EXPECT_TRUE(status.ok()) << "it never failed: " << status.to_string();
      break;
    }
    ++failed;
    EXPECT_EQ(status.ok(), leaves) << function;
    if (!status.ok()) {
      EXPECT_THAT(status.to_string(), AllOf(HasSubstr(function), HasSubstr("NCCL_DEBUG")));
    }
    EXPECT_EQ(live(), live_before) << function << " at call " << replacement.calls_before_failure;
  }
  EXPECT_GT(failed, 0);
}

/// All but what says how something failed, and what is asked whether it has.
std::vector<std::string> functions_that_fail() {
  std::vector<std::string> names;
  for (const auto& [name, replacement] : replacements()) {
    if (name != "ncclGetErrorString" && name != "ncclGetLastError" &&
        name != "ncclCommGetAsyncError" && name != "ncclCommAbort")
      names.push_back(name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Functions, NcclFailures, ::testing::ValuesIn(functions_that_fail()),
                         [](const auto& parameter) { return parameter.param; });

TEST(NcclStatus, WithoutAText_HasItsNumber) {
  NcclTable table = acted();
  table.ncclGetErrorString = [](ncclResult_t) -> const char* { return nullptr; };
  table.ncclGetLastError = [](ncclComm_t) -> const char* { return nullptr; };
  EXPECT_THAT(nccl_status(table, nullptr, "ncclAllReduce", ncclSystemError).to_string(),
              AllOf(HasSubstr("ncclAllReduce failed"), HasSubstr("(2)")));
}

/// What it gives up is lost either way; that it wasn't ended is said.
TEST(NcclCommunicator, AbortThatFails_IsLogged) {
  NcclTable table = acted();
  table.ncclCommAbort = [](ncclComm_t communicator) {
    acted().ncclCommAbort(communicator);
    return ncclInternalError;
  };
  EXPECT_TRUE(use(acted()).ok());
  const int live_before = live();
  {
    const auto library = value_or_throw(adapt_nccl(driver(), table));
    const LibraryId id = value_or_throw(library->make_id());
    const auto communicator = value_or_throw(library->join(0, id, 0, 1));
    ASSERT_TRUE(wait_until_ready(*communicator).ok());
    ::testing::internal::CaptureStderr();
    communicator->give_up();
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("ncclCommAbort failed"));
  wait_until_live(live_before);
}

TEST(NcclCommunicator, ThatCannotBeAsked_IsToldWithItsDevice) {
  NcclTable table = acted();
  table.ncclCommGetAsyncError = [](ncclComm_t, ncclResult_t*) { return ncclInternalError; };
  EXPECT_TRUE(use(acted()).ok());
  const int live_before = live();
  EXPECT_THAT(use(table).to_string(),
              AllOf(HasSubstr("ncclCommGetAsyncError of cuda:0 failed"), HasSubstr("NCCL_DEBUG")));
  EXPECT_EQ(live(), live_before);
}

TEST(NcclStatus, CodesThatUsersMeet_HaveARemedy) {
  const NcclTable table = acted();
  const auto text = [&](ncclResult_t code) {
    return nccl_status(table, nullptr, "ncclAllReduce", code).to_string();
  };
  EXPECT_TRUE(nccl_status(table, nullptr, "ncclAllReduce", ncclInProgress).ok());
  EXPECT_THAT(text(ncclUnhandledCudaError),
              AllOf(HasSubstr("ncclAllReduce failed"), HasSubstr("NCCL_DEBUG=WARN")));
  EXPECT_THAT(text(ncclSystemError), HasSubstr("NCCL_SOCKET_IFNAME"));
  EXPECT_THAT(text(ncclInvalidUsage), HasSubstr("RONDO_DEVICE_PATH"));
  EXPECT_THAT(text(ncclRemoteError), AllOf(HasSubstr("PeerLost"), HasSubstr("has ended")));
}

TEST(NcclCommunicator, AbortThatHangs_IsLeftBehind) {
  const auto hang = reinterpret_cast<void (*)(int)>(
      ::dlsym(::dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL), "fake_nccl_hang_in_abort"));
  EXPECT_TRUE(use(acted()).ok());
  const int live_before = live();
  hang(1);
  const auto library = value_or_throw(adapt_nccl(driver(), acted()));
  const auto id = value_or_throw(library->make_id());
  // Of two, so that it never has joined.
  auto communicator = value_or_throw(library->join(0, id, 0, 2));
  const auto begin = std::chrono::steady_clock::now();
  communicator->give_up();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
  EXPECT_THAT(communicator->ready().status().message(), HasSubstr("given up"));
  communicator.reset();
  hang(0);
  wait_until_live(live_before);
}

}  // namespace
}  // namespace rondo::device
