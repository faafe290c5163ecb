#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/onednn/primitive_cache.h"
#include "nn/ops/kernels/onednn/register_kernels.h"

namespace rondo::nn {
namespace {

// The variant whose backward reads the result instead of the input.
constexpr auto kRelu = dnnl::algorithm::eltwise_relu_use_dst_for_bwd;

dnnl::eltwise_forward::primitive_desc forward_desc(const dnnl::memory::desc& data) {
  const dnnl::eltwise_forward::desc desc(dnnl::prop_kind::forward_training, kRelu, data, 0.0F);
  return {desc, primitive_attributes(), cpu_engine()};
}

class ReluKernel final : public Kernel {
 public:
  explicit ReluKernel(const KernelSetup& setup) : cache_(setup.counters) {}

  Status run(const KernelArgs& args) override {
    const Dims shape = {args.in(0).count()};
    const auto make = [&] {
      return prepare<dnnl::eltwise_forward>(forward_desc(row_major(shape)),
                                            {DNNL_ARG_SRC, DNNL_ARG_DST});
    };
    return cache_.run(shape, make,
                      {{DNNL_ARG_SRC, args.in(0).data()}, {DNNL_ARG_DST, args.out(0)->data()}});
  }

 private:
  PrimitiveCache cache_;
};

class ReluGradKernel final : public Kernel {
 public:
  explicit ReluGradKernel(const KernelSetup& setup) : cache_(setup.counters) {}

  Status run(const KernelArgs& args) override {
    const Dims shape = {args.in(0).count()};
    const auto make = [&] {
      const auto data = row_major(shape);
      const dnnl::eltwise_backward::desc desc(kRelu, data, data, 0.0F);
      return prepare<dnnl::eltwise_backward>(
          dnnl::eltwise_backward::primitive_desc(desc, primitive_attributes(), cpu_engine(),
                                                 forward_desc(data)),
          {DNNL_ARG_DST, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC});
    };
    return cache_.run(shape, make,
                      {{DNNL_ARG_DST, args.in(0).data()},
                       {DNNL_ARG_DIFF_DST, args.in(1).data()},
                       {DNNL_ARG_DIFF_SRC, args.out(0)->data()}});
  }

 private:
  PrimitiveCache cache_;
};

}  // namespace

void add_relu_onednn(KernelRegistry& registry) {
  registry.add("relu", DataType::kF32, KernelSource::kOneDnn, make_kernel<ReluKernel>);
  registry.add("relu_grad", DataType::kF32, KernelSource::kOneDnn, make_kernel<ReluGradKernel>);
}

}  // namespace rondo::nn
