#include "collectives/execute/host/contributions.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/copy_bytes.h"

namespace rondo::execute {

Contributions::Contributions(const Inputs& inputs, Sizes sizes)
    : inputs_(inputs), sources_(inputs.ranks) {
  set_sizes(std::move(sizes));
}

void Contributions::set_sizes(Sizes sizes) {
  sizes_ = std::move(sizes);
  bytes_ = sizes_.count * inputs_.element_bytes;
  arguments_ = {.sources = sources_,
                .targets = std::span(&target_, 1),
                .count = sizes_.count,
                .divisor = inputs_.divisor};
}

bool Contributions::takes_of(int rank) const {
  return !sizes_.gathered || std::ranges::any_of(*sizes_.gathered, [rank](const Part& part) {
    return part.rank == rank;
  });
}

bool Contributions::are_much() const { return (sources_.size() - 1) * bytes_ >= kLongCopyBytes; }

void Contributions::gather() {
  std::byte* target = operands_->output;
  for (const Part& part : *sizes_.gathered) {
    if (part.bytes == 0) continue;
    const void* const contribution = sources_[static_cast<std::size_t>(part.rank)];
    const std::byte* const source = static_cast<const std::byte*>(contribution) + part.offset;
    if (source != target) std::memcpy(target, source, part.bytes);  // else in place
    target += part.bytes;
  }
}

Status Contributions::reduce() {
  target_ = operands_->output;
  if (operands_->custom) [[unlikely]]
    return kernels::reduce_by(operands_->custom, arguments_).with_culprit(inputs_.rank);
  inputs_.kernel(arguments_);
  return {};
}

}  // namespace rondo::execute
