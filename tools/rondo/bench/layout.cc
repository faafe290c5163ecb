#include "tools/rondo/bench/layout.h"

#include <numeric>

namespace rondo::tool {
namespace {

/// Of buffers that begin with a page.
Layout aligned_layout_of(const CallSpec& spec, int world, int rank) {
  const std::size_t element_bytes = size_of(spec.type);
  const std::size_t all = spec.bytes / element_bytes;
  const std::vector<std::size_t> parts = parts_of(spec, world);
  const std::size_t whole = std::accumulate(parts.begin(), parts.end(), std::size_t{0});
  const std::size_t mean = whole / static_cast<std::size_t>(world);
  const Region own = {spec.in_place ? first_of(parts, rank) : 0,
                      parts[static_cast<std::size_t>(rank)]};
  switch (spec.operation.collective) {
    case Collective::kAllReduce:
    case Collective::kReduce:
    case Collective::kBroadcast: return {all * element_bytes, all, {0, all}, {0, all}};
    case Collective::kAllGather:
    case Collective::kGather: return {whole * element_bytes, mean, own, {0, whole}};
    case Collective::kReduceScatter:
    case Collective::kScatter: return {whole * element_bytes, mean, {0, whole}, own};
    case Collective::kAllToAll: return {whole * element_bytes, mean, {0, whole}, {0, whole}};
    case Collective::kBarrier: break;
  }
  return {};
}

}  // namespace

std::vector<std::size_t> parts_of(const CallSpec& spec, int world) {
  return parts_of(spec.operation, spec.bytes / size_of(spec.type), world);
}

Layout layout_of(const CallSpec& spec, int world, int rank) {
  Layout layout = aligned_layout_of(spec, world, rank);
  layout.input.first += spec.first_element;
  layout.output.first += spec.first_element;
  return layout;
}

}  // namespace rondo::tool
