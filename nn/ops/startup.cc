#include "nn/ops/startup.h"

#include <utility>

#include "nn/ops/append_op.h"

namespace rondo::nn {

Result<Var> create_persistable(VarDesc desc, Op init) {
  desc.persistable = true;
  Block& startup = default_startup_program().global_block();
  if (!startup.find_var(desc.name)) {
    startup.create_var(desc);
    init.outputs["Out"] = {desc.name};
    init.attributes["dtype"] = std::string(rondo::to_string(desc.dtype));
    init.attributes["dims"] = desc.dims;
    RONDO_TRY(append_op(startup, std::move(init)));
  }
  return default_main_program().global_block().create_var(std::move(desc));
}

Op fill_with(double value) {
  Op op;
  op.type = "fill_constant";
  op.attributes["value"] = value;
  return op;
}

}  // namespace rondo::nn
