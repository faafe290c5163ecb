#pragma once

// Every function of NCCL that Rondo calls, as a table: filled from the library at run time, so that
// one build runs with and without it, and replaced entry by entry in tests.
// Source: NCCL 2.28's nccl.h.

#include <nccl.h>

#define RONDO_NCCL_FUNCTIONS(FUNCTION) \
  FUNCTION(ncclGetVersion)             \
  FUNCTION(ncclGetErrorString)         \
  FUNCTION(ncclGetLastError)           \
  FUNCTION(ncclGetUniqueId)            \
  FUNCTION(ncclCommInitRankConfig)     \
  FUNCTION(ncclCommFinalize)           \
  FUNCTION(ncclCommDestroy)            \
  FUNCTION(ncclCommAbort)              \
  FUNCTION(ncclCommGetAsyncError)      \
  FUNCTION(ncclAllReduce)              \
  FUNCTION(ncclReduce)                 \
  FUNCTION(ncclBroadcast)              \
  FUNCTION(ncclAllGather)              \
  FUNCTION(ncclReduceScatter)          \
  FUNCTION(ncclSend)                   \
  FUNCTION(ncclRecv)                   \
  FUNCTION(ncclGroupStart)             \
  FUNCTION(ncclGroupEnd)

namespace rondo::device {

struct NcclTable {
  // NOLINTNEXTLINE(bugprone-macro-parentheses): a name is declared
#define RONDO_NCCL_MEMBER(name) decltype(&::name) name = nullptr;
  RONDO_NCCL_FUNCTIONS(RONDO_NCCL_MEMBER)
#undef RONDO_NCCL_MEMBER
};

}  // namespace rondo::device
