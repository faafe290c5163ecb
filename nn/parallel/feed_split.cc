#include "nn/parallel/feed_split.h"

#include <fmt/format.h>

#include <cstring>

namespace rondo::nn {
namespace {

Status invalid(const std::string& what) { return Status(ErrorCode::kInvalidArgument, what); }

bool has_samples(const Block& block, const std::string& name, const Tensor& tensor) {
  const VarDesc* desc = block.find_desc(name);
  return desc != nullptr && !desc->dims.empty() && desc->dims[0] < 0 && !tensor.dims().empty();
}

// Rows [first, last) of a tensor, in its own memory.
Tensor rows(const Tensor& tensor, std::int64_t first, std::int64_t last) {
  Dims dims = tensor.dims();
  const std::size_t row_bytes = tensor.bytes() / static_cast<std::size_t>(dims[0]);
  dims[0] = last - first;
  void* data = static_cast<std::byte*>(tensor.data()) + static_cast<std::size_t>(first) * row_bytes;
  return Tensor::borrow(data, tensor.dtype(), dims, tensor.device());
}

}  // namespace

Result<std::int64_t> samples_in(const Block& block, const Feed& feed) {
  std::int64_t samples = -1;
  std::string first;
  for (const auto& [name, tensor] : feed) {
    if (!has_samples(block, name, tensor)) continue;
    if (samples >= 0 && tensor.dims()[0] != samples) {
      return invalid(fmt::format("feed '{}' has {} samples, feed '{}' has {}", name,
                                 tensor.dims()[0], first, samples));
    }
    samples = tensor.dims()[0];
    first = name;
  }
  return samples < 0 ? 1 : samples;
}

Result<std::vector<Feed>> split_feed(const Block& block, const Feed& feed, std::size_t places) {
  if (places == 1) return std::vector<Feed>{feed};
  RONDO_ASSIGN(const std::int64_t samples, samples_in(block, feed));
  const auto count = static_cast<std::int64_t>(places);
  std::vector<Feed> parts(places);
  for (const auto& [name, tensor] : feed) {
    if (!has_samples(block, name, tensor)) {
      for (Feed& part : parts) part.emplace(name, tensor);
      continue;
    }
    if (samples < count) {
      return invalid("feed '" + name + "' has " + std::to_string(samples) + " samples for " +
                     std::to_string(places) + " places; every place needs one at least");
    }
    if (!tensor.lod().empty()) {
      return Status(ErrorCode::kUnsupported,
                    "feed '" + name + "' holds sequences, which one process can't split over " +
                        "several places yet; use one place per process");
    }
    for (std::int64_t p = 0; p < count; ++p) {
      parts[static_cast<std::size_t>(p)].emplace(
          name, rows(tensor, p * samples / count, (p + 1) * samples / count));
    }
  }
  return parts;
}

Tensor concatenate(const std::vector<Tensor>& parts) {
  if (parts.size() == 1) return parts.front();
  Dims dims = parts.front().dims();
  dims[0] = 0;
  for (const Tensor& part : parts) dims[0] += part.dims()[0];
  Tensor whole(parts.front().dtype(), dims);
  auto* target = static_cast<std::byte*>(whole.data());
  for (const Tensor& part : parts) {
    std::memcpy(target, part.data(), part.bytes());
    target += part.bytes();
  }
  return whole;
}

}  // namespace rondo::nn
