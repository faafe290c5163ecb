#include "nn/executor/temporary_memory.h"

#include <algorithm>

namespace rondo::nn {
namespace {

std::size_t bytes_of(const TensorType& type) {
  return static_cast<std::size_t>(count_of(type.dims)) * size_of(type.dtype);
}

Lifetime lifetime_of(const VarSlot& slot) {
  Lifetime lifetime{slot.first, slot.last, size_of(slot.desc.dtype), false};
  for (const std::int64_t size : slot.desc.dims) {
    lifetime.batched = lifetime.batched || size < 0;
    lifetime.bytes *= static_cast<std::size_t>(std::max<std::int64_t>(size, 1));
  }
  return lifetime;
}

}  // namespace

void TemporaryMemory::plan(VarSlots& slots) {
  std::vector<VarSlot*> temporaries;
  std::vector<Lifetime> lifetimes;
  for (VarSlot& slot : slots.all()) {
    if (slot.kind != VarKind::kTemporary) continue;
    temporaries.push_back(&slot);
    lifetimes.push_back(lifetime_of(slot));
  }
  const auto assigned = assign_buffers(lifetimes);
  std::size_t count = 0;
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    temporaries[i]->buffer = assigned[i];
    count = std::max(count, assigned[i] + 1);
  }
  buffers_.resize(count);
}

void TemporaryMemory::bind(VarSlots& slots) {
  std::vector<std::size_t> needed(buffers_.size(), 0);
  for (const VarSlot& slot : slots.all()) {
    if (slot.kind != VarKind::kTemporary) continue;
    needed[slot.buffer] = std::max(needed[slot.buffer], bytes_of(slot.type));
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].empty() && buffers_[i].bytes() >= needed[i]) continue;
    buffers_[i] = Tensor(DataType::kU8, {static_cast<std::int64_t>(size_class(needed[i]))});
    ++allocations_;
  }
  for (VarSlot& slot : slots.all()) {
    if (slot.kind != VarKind::kTemporary) continue;
    slot.tensor = Tensor::borrow(buffers_[slot.buffer].data(), slot.type.dtype, slot.type.dims);
  }
}

}  // namespace rondo::nn
