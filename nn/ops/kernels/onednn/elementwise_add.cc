#include "nn/ops/broadcast_shape.h"
#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/onednn/primitive_cache.h"
#include "nn/ops/kernels/onednn/register_kernels.h"

namespace rondo::nn {
namespace {

class ElementwiseAddKernel final : public Kernel {
 public:
  explicit ElementwiseAddKernel(const KernelSetup& setup)
      : axis_(setup.op->attribute<std::int64_t>("axis", -1)), cache_(setup.counters) {}

  Status run(const KernelArgs& args) override {
    const BroadcastShape s = *broadcast_shape(args.in(0).dims(), args.in(1).dims(), axis_);
    const Dims whole = {s.outer, s.middle, s.inner};
    const auto make = [&] {
      const dnnl::binary::desc desc(dnnl::algorithm::binary_add, row_major(whole),
                                    row_major({1, s.middle, 1}), row_major(whole));
      return prepare<dnnl::binary>(
          dnnl::binary::primitive_desc(desc, primitive_attributes(), cpu_engine()),
          {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_DST});
    };
    return cache_.run(whole, make,
                      {{DNNL_ARG_SRC_0, args.in(0).data()},
                       {DNNL_ARG_SRC_1, args.in(1).data()},
                       {DNNL_ARG_DST, args.out(0)->data()}});
  }

 private:
  std::int64_t axis_;
  PrimitiveCache cache_;
};

}  // namespace

void add_elementwise_add_onednn(KernelRegistry& registry) {
  registry.add("elementwise_add", DataType::kF32, KernelSource::kOneDnn,
               make_kernel<ElementwiseAddKernel>);
}

}  // namespace rondo::nn
