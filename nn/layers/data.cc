#include <utility>

#include "rondo/nn/layers.h"

namespace rondo::nn::inline v1 {

Var data(const std::string& name, Dims dims, const DataOptions& options) {
  VarDesc desc;
  desc.name = name;
  desc.dtype = options.dtype;
  desc.dims = std::move(dims);
  if (options.append_batch_size) desc.dims.insert(desc.dims.begin(), -1);
  desc.lod_level = options.lod_level;
  desc.stop_gradient = options.stop_gradient;
  return default_main_program().global_block().create_var(std::move(desc));
}

}  // namespace rondo::nn::inline v1
