#pragma once

// oneDNN primitives of one kernel, by shape. Creating one costs far more than running it, so a
// shape that was seen is never prepared again (until kCapacity others have pushed it out).
// Scratch memory belongs to the primitive: oneDNN's own is tied to the thread that created it,
// while an executor may be moved between threads.
// Threads: one at a time.

#include <dnnl.hpp>
#include <functional>
#include <initializer_list>
#include <list>
#include <unordered_map>
#include <utility>

#include "core/status.h"
#include "nn/ops/kernels/kernel.h"
#include "rondo/nn/tensor.h"

namespace rondo::nn {

/// The processor, as oneDNN names it.
const dnnl::engine& cpu_engine();

/// A dense row-major f32 description.
dnnl::memory::desc row_major(const Dims& dims);

/// The attributes that every primitive of a PrimitiveCache is made with.
dnnl::primitive_attr primitive_attributes();

/// A primitive and the memory objects it runs on, whose addresses are set at each run.
struct PreparedPrimitive {
  dnnl::primitive primitive;
  std::unordered_map<int, dnnl::memory> arguments;
};

/// Prepares `description`, a primitive_desc, for arguments such as DNNL_ARG_SRC.
template <typename Primitive, typename Description>
PreparedPrimitive prepare(const Description& description, std::initializer_list<int> arguments) {
  PreparedPrimitive prepared{Primitive(description), {}};
  for (const int argument : arguments) {
    const auto desc = description.query_md(dnnl::query::exec_arg_md, argument);
    prepared.arguments.emplace(argument, dnnl::memory(desc, cpu_engine(), DNNL_MEMORY_NONE));
  }
  prepared.arguments.emplace(DNNL_ARG_SCRATCHPAD,
                             dnnl::memory(description.scratchpad_desc(), cpu_engine()));
  return prepared;
}

class PrimitiveCache {
 public:
  explicit PrimitiveCache(KernelCounters* counters);

  /// Runs the primitive for `key` (made by `make` where it is new) on the data given by argument.
  Status run(const Dims& key, const std::function<PreparedPrimitive()>& make,
             std::initializer_list<std::pair<int, void*>> data);

 private:
  static constexpr std::size_t kCapacity = 16;
  PreparedPrimitive& find_or_make(const Dims& key, const std::function<PreparedPrimitive()>& make);

  KernelCounters* counters_;
  dnnl::stream stream_;
  std::list<std::pair<Dims, PreparedPrimitive>> entries_;  // the most recently used first
};

}  // namespace rondo::nn
