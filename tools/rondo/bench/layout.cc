#include "tools/rondo/bench/layout.h"

namespace rondo::tool {

Layout layout_of(const CallSpec& spec, int world, int rank) {
  const std::size_t element_bytes = size_of(spec.type);
  const std::size_t all = spec.bytes / element_bytes;
  const std::size_t part = all / static_cast<std::size_t>(world);
  const std::size_t whole = part * static_cast<std::size_t>(world);
  const std::size_t own = spec.in_place ? part * static_cast<std::size_t>(rank) : 0;
  switch (spec.collective) {
    case Collective::kAllReduce:
    case Collective::kReduce:
    case Collective::kBroadcast: return {all * element_bytes, all, {0, all}, {0, all}};
    case Collective::kAllGather:
    case Collective::kGather: return {whole * element_bytes, part, {own, part}, {0, whole}};
    case Collective::kReduceScatter:
    case Collective::kScatter: return {whole * element_bytes, part, {0, whole}, {own, part}};
    case Collective::kAllToAll: return {whole * element_bytes, whole, {0, whole}, {0, whole}};
    case Collective::kBarrier: break;
  }
  return {};
}

}  // namespace rondo::tool
