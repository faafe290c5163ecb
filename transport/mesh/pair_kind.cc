#include "transport/mesh/pair_kind.h"

#include <fmt/format.h>

namespace rondo::transport {

Result<TransportKind> pair_kind(int rank_a, const RankInfo& a, int rank_b, const RankInfo& b,
                                std::string_view forced) {
  const bool one_process = a.process == b.process;
  const bool one_host = one_process || a.host_identity == b.host_identity;
  if (forced == "tcp") return TransportKind::kTcp;
  if (forced == "auto") {
    if (one_process) return TransportKind::kInproc;
    return one_host ? TransportKind::kShm : TransportKind::kTcp;
  }
  if (forced == "inproc" && one_process) return TransportKind::kInproc;
  if (forced == "shm" && one_host) return TransportKind::kShm;
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("transport '{}' was asked for, but it can't join rank {} (process {}, "
                            "pid {} on {}) and rank {} (process {}, pid {} on {}): {}; use 'auto'",
                            forced, rank_a, a.process, a.pid, a.hostname, rank_b, b.process, b.pid,
                            b.hostname,
                            forced == "inproc" ? "they are different processes"
                                               : "they don't share a host and its namespaces"));
}

}  // namespace rondo::transport
