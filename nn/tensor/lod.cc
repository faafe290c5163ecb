#include "nn/tensor/lod.h"

#include <algorithm>

namespace rondo::nn {
namespace {

Status broken(std::size_t level, const std::string& what) {
  return Status(ErrorCode::kInvalidArgument, "LoD level " + std::to_string(level) + " " + what);
}

}  // namespace

Status check_lod(const LoD& lod, const Dims& dims) {
  for (std::size_t i = 0; i < lod.size(); ++i) {
    const auto& offsets = lod[i];
    if (offsets.size() < 2 || offsets.front() != 0) {
      return broken(i, "needs at least two offsets, the first being 0");
    }
    if (!std::is_sorted(offsets.begin(), offsets.end())) {
      return broken(i, "has descending offsets: " + to_string(offsets));
    }
    const bool last = i + 1 == lod.size();
    if (last && dims.empty()) return broken(i, "needs a tensor with an axis 0");
    const std::int64_t end = last ? dims[0] : static_cast<std::int64_t>(lod[i + 1].size()) - 1;
    if (offsets.back() != end) {
      return broken(i, "ends at " + std::to_string(offsets.back()) + ", expected " +
                           std::to_string(end) + " (" +
                           (last ? "the size of axis 0" : "the sequences of the next level") + ")");
    }
  }
  return {};
}

}  // namespace rondo::nn
