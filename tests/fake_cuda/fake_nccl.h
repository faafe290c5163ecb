#pragma once

// NCCL, acted: ranks of one host, as threads or processes, exchange messages by way of a file that
// all map; the work is done in the streams of the acted driver, so late and out of order between
// streams as everything else there. As the real one, where its communicators don't block: what was
// asked for isn't in the stream before ncclCommGetAsyncError has said that it is, and nothing else
// may be asked for before.
// Variable: FAKE_NCCL_VERSION (22807).

#pragma GCC visibility push(default)
#include <nccl.h>
#pragma GCC visibility pop

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/status.h"
#include "fake.h"

namespace fake_nccl {

inline constexpr int kMostRanks = 20;

/// Bytes on their way from one rank to another.
struct Box {
  std::atomic<std::uint64_t> written;  ///< chunks so far
  std::atomic<std::uint64_t> read;
  std::uint32_t bytes;  ///< of the one that is there
  std::byte data[16 * 1024 - 24];
};

/// What all ranks map, all 0 at first.
struct Shared {
  std::atomic<std::uint32_t> joined;
  Box boxes[kMostRanks][kMostRanks];  ///< by sender, receiver
};

/// What work that is still in a stream needs, too.
struct Member {
  ~Member();
  Shared* shared = nullptr;
  int rank = 0;
  int world = 0;
  std::atomic<bool> aborted = false;
};

enum class Kind : std::uint8_t {
  kAllReduce,
  kReduce,
  kBroadcast,
  kAllGather,
  kReduceScatter,
  kSend,
  kReceive
};

struct Operation {
  Kind kind = Kind::kSend;
  const void* input = nullptr;
  void* output = nullptr;
  std::size_t count = 0;
  ncclDataType_t type = ncclFloat;
  ncclRedOp_t op = ncclSum;
  int peer = 0;  ///< or the root
};

struct Message {
  int peer = 0;
  bool sends = false;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// Moves all of them, those with one peer in their order; gives up once the member is aborted.
void transfer(Member& member, const std::vector<Message>& messages);

/// In a stream's thread: what was asked for in one group.
rondo::Status run(Member& member, const std::vector<Operation>& group);

}  // namespace fake_nccl

struct ncclComm {
  std::shared_ptr<fake_nccl::Member> member;
  std::string path;
  int polls_until_taken = 0;
  CUstream stream = nullptr;
  std::vector<fake_nccl::Operation> asked{};  ///< until it is taken
  int calls = 0;
  ncclResult_t failure = ncclSuccess;
  bool joined = false;
};
