// The acted NCCL's functions, those of core/device/cuda/nccl/table.h.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "core/environment.h"
#include "fake_nccl.h"

using fake_cuda::state;
using fake_nccl::Kind;
using fake_nccl::Operation;
using fake_nccl::Shared;

namespace {

/// What a test wants to go wrong: of one rank, behind its call of that number.
struct Fault {
  std::atomic<int> rank = -1;
  std::atomic<int> call = 0;
  std::atomic<int> code = ncclSuccess;
};
Fault fault;
std::atomic<bool> abort_hangs = false;

/// Of the calling thread: how deep it is in groups, and whose calls they are.
thread_local int depth = 0;
thread_local ncclComm_t grouped = nullptr;

/// How often one asks until what was asked for is taken.
constexpr int kPolls = 20;

ncclResult_t ask(ncclComm_t communicator, CUstream stream, const Operation& operation) {
  // The real one fails so, or worse.
  if (communicator == nullptr || communicator->polls_until_taken != 0) return ncclInvalidUsage;
  if (fake_cuda::current() == nullptr) return ncclUnhandledCudaError;
  if (++communicator->calls == fault.call && communicator->member->rank == fault.rank)
    communicator->failure = static_cast<ncclResult_t>(fault.code.load());
  communicator->asked.push_back(operation);
  communicator->stream = stream;
  grouped = communicator;
  if (depth == 0) communicator->polls_until_taken = kPolls;
  return ncclInProgress;
}

ncclResult_t take(ncclComm& communicator) {
  if (communicator.asked.empty()) return ncclSuccess;
  const auto work = [member = communicator.member,
                     group = std::exchange(communicator.asked, {})]() -> rondo::Status {
    return fake_nccl::run(*member, group);
  };
  const CUresult code =
      fake_cuda::enqueue(communicator.stream,
                         [work](rondo::detail::StreamImpl& stream) { return stream.launch(work); });
  return code == CUDA_SUCCESS ? ncclSuccess : ncclUnhandledCudaError;
}

Shared* map(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return memory == MAP_FAILED ? nullptr : static_cast<Shared*>(memory);
}

}  // namespace

extern "C" {

/// For tests.
__attribute__((visibility("default"))) void fake_nccl_fail(int rank, int call, int code) {
  fault.rank = rank;
  fault.call = call;
  fault.code = code;
}

__attribute__((visibility("default"))) void fake_nccl_hang_in_abort(int hangs) {
  abort_hangs = hangs != 0;
}

ncclResult_t ncclGetVersion(int* version) {
  const auto read = rondo::environment_integer("FAKE_NCCL_VERSION", 22807, {0, 999'999});
  *version = static_cast<int>(*read);
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t /*code*/) { return "as the acted NCCL tells it"; }
const char* ncclGetLastError(ncclComm_t /*communicator*/) { return ""; }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::string path = "/dev/shm/fake_nccl_XXXXXX";
  const int file = ::mkstemp(path.data());
  if (file < 0 || ::ftruncate(file, sizeof(Shared)) != 0) return ncclSystemError;
  ::close(file);
  *id = {};
  std::strncpy(id->internal, path.c_str(), sizeof(id->internal) - 1);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int world, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  if (config->blocking != 0 || world > fake_nccl::kMostRanks) return ncclInvalidArgument;
  if (fake_cuda::current() == nullptr) return ncclUnhandledCudaError;
  Shared* const shared = map(id.internal);
  if (shared == nullptr) return ncclSystemError;
  auto member = std::make_shared<fake_nccl::Member>();
  member->shared = shared;
  member->rank = rank;
  member->world = world;
  *communicator = new ncclComm{.member = std::move(member), .path = id.internal};
  ++state().live;
  if (shared->joined.fetch_add(1) + 1 == static_cast<std::uint32_t>(world)) ::unlink(id.internal);
  return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* result) {
  *result = communicator->failure;
  if (*result != ncclSuccess) return ncclSuccess;
  const auto world = static_cast<std::uint32_t>(communicator->member->world);
  communicator->joined |= communicator->member->shared->joined.load() == world;
  if (!communicator->joined ||
      (communicator->polls_until_taken > 0 && --communicator->polls_until_taken > 0)) {
    *result = ncclInProgress;
    return ncclSuccess;
  }
  *result = communicator->failure = take(*communicator);
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
  communicator->polls_until_taken = kPolls;
  return ncclInProgress;
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  --state().live;
  delete communicator;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  communicator->member->aborted = true;
  while (abort_hangs) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (!communicator->joined) ::unlink(communicator->path.c_str());
  return ncclCommDestroy(communicator);
}

ncclResult_t ncclGroupStart() {
  if (depth++ == 0) grouped = nullptr;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (--depth != 0 || grouped == nullptr) return ncclSuccess;
  grouped->polls_until_taken = kPolls;
  return ncclInProgress;
}

ncclResult_t ncclAllReduce(const void* input, void* output, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t communicator, cudaStream_t stream) {
  return ask(communicator, stream, {Kind::kAllReduce, input, output, count, type, op});
}

// NOLINTNEXTLINE(readability-function-size): these are NCCL's parameters
ncclResult_t ncclReduce(const void* input, void* output, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t communicator, cudaStream_t stream) {
  return ask(communicator, stream, {Kind::kReduce, input, output, count, type, op, root});
}

ncclResult_t ncclBroadcast(const void* input, void* output, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t communicator, cudaStream_t stream) {
  return ask(communicator, stream, {Kind::kBroadcast, input, output, count, type, ncclSum, root});
}

ncclResult_t ncclAllGather(const void* input, void* output, std::size_t count, ncclDataType_t type,
                           ncclComm_t communicator, cudaStream_t stream) {
  return ask(communicator, stream, {Kind::kAllGather, input, output, count, type});
}

ncclResult_t ncclReduceScatter(const void* input, void* output, std::size_t count,
                               ncclDataType_t type, ncclRedOp_t op, ncclComm_t communicator,
                               cudaStream_t stream) {
  return ask(communicator, stream, {Kind::kReduceScatter, input, output, count, type, op});
}

ncclResult_t ncclSend(const void* input, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  return ask(communicator, stream, {Kind::kSend, input, nullptr, count, type, ncclSum, peer});
}

ncclResult_t ncclRecv(void* output, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  return ask(communicator, stream, {Kind::kReceive, nullptr, output, count, type, ncclSum, peer});
}

}  // extern "C"
