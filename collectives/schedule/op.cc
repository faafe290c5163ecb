#include "collectives/schedule/op.h"

namespace rondo {
inline namespace v1 {

const char* to_string(Collective collective) {
  switch (collective) {
    case Collective::kAllReduce: return "all_reduce";
    case Collective::kAllGather: return "all_gather";
    case Collective::kReduceScatter: return "reduce_scatter";
    case Collective::kBroadcast: return "broadcast";
    case Collective::kReduce: return "reduce";
    case Collective::kGather: return "gather";
    case Collective::kScatter: return "scatter";
    case Collective::kAllToAll: return "all_to_all";
    case Collective::kBarrier: return "barrier";
  }
  return "unknown collective";
}

bool reduces(Collective collective) {
  return collective == Collective::kAllReduce || collective == Collective::kReduceScatter ||
         collective == Collective::kReduce;
}

bool has_root(Collective collective) {
  return collective == Collective::kBroadcast || collective == Collective::kReduce ||
         collective == Collective::kGather || collective == Collective::kScatter;
}

}  // namespace v1
}  // namespace rondo

namespace rondo::schedule {

const char* to_string(OpKind kind) {
  switch (kind) {
    case OpKind::kSend: return "send";
    case OpKind::kRecv: return "recv";
    case OpKind::kRecvReduce: return "recv_reduce";
    case OpKind::kCopy: return "copy";
    case OpKind::kReduce: return "reduce";
    case OpKind::kWait: return "wait";
  }
  return "unknown op";
}

}  // namespace rondo::schedule
