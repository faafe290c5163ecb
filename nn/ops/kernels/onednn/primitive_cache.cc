#include "nn/ops/kernels/onednn/primitive_cache.h"

#include <algorithm>
#include <string>

namespace rondo::nn {

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::memory::desc row_major(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return {dims, dnnl::memory::data_type::f32, strides};
}

dnnl::primitive_attr primitive_attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

PrimitiveCache::PrimitiveCache(KernelCounters* counters)
    : counters_(counters), stream_(cpu_engine()) {}

PreparedPrimitive& PrimitiveCache::find_or_make(const Dims& key,
                                                const std::function<PreparedPrimitive()>& make) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
  } else {
    entries_.emplace_front(key, make());
    ++counters_->primitives_created;
    if (entries_.size() > kCapacity) entries_.pop_back();
  }
  return entries_.front().second;
}

Status PrimitiveCache::run(const Dims& key, const std::function<PreparedPrimitive()>& make,
                           std::initializer_list<std::pair<int, void*>> data) {
  try {
    PreparedPrimitive& prepared = find_or_make(key, make);
    for (const auto& [argument, pointer] : data) {
      prepared.arguments.at(argument).set_data_handle(pointer);
    }
    prepared.primitive.execute(stream_, prepared.arguments);
    stream_.wait();
    return {};
  } catch (const dnnl::error& error) {
    return Status(ErrorCode::kInternal,
                  std::string("oneDNN refused shape ") + to_string(key) + ": " + error.what());
  }
}

}  // namespace rondo::nn
