#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/onednn/primitive_cache.h"
#include "nn/ops/kernels/onednn/register_kernels.h"

namespace rondo::nn {
namespace {

Dims rows_and_columns(const Tensor& tensor) {
  const std::int64_t columns = tensor.dims().back();
  return {tensor.count() / columns, columns};
}

dnnl::softmax_forward::primitive_desc forward_desc(const dnnl::memory::desc& data) {
  const dnnl::softmax_forward::desc desc(dnnl::prop_kind::forward_training, data, 1);
  return {desc, primitive_attributes(), cpu_engine()};
}

class SoftmaxKernel final : public Kernel {
 public:
  explicit SoftmaxKernel(const KernelSetup& setup) : cache_(setup.counters) {}

  Status run(const KernelArgs& args) override {
    const Dims shape = rows_and_columns(args.in(0));
    const auto make = [&] {
      return prepare<dnnl::softmax_forward>(forward_desc(row_major(shape)),
                                            {DNNL_ARG_SRC, DNNL_ARG_DST});
    };
    return cache_.run(shape, make,
                      {{DNNL_ARG_SRC, args.in(0).data()}, {DNNL_ARG_DST, args.out(0)->data()}});
  }

 private:
  PrimitiveCache cache_;
};

class SoftmaxGradKernel final : public Kernel {
 public:
  explicit SoftmaxGradKernel(const KernelSetup& setup) : cache_(setup.counters) {}

  Status run(const KernelArgs& args) override {
    const Dims shape = rows_and_columns(args.in(0));
    const auto make = [&] {
      const auto data = row_major(shape);
      const dnnl::softmax_backward::desc desc(data, data, 1);
      return prepare<dnnl::softmax_backward>(
          dnnl::softmax_backward::primitive_desc(desc, primitive_attributes(), cpu_engine(),
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

void add_softmax_onednn(KernelRegistry& registry) {
  registry.add("softmax", DataType::kF32, KernelSource::kOneDnn, make_kernel<SoftmaxKernel>);
  registry.add("softmax_grad", DataType::kF32, KernelSource::kOneDnn,
               make_kernel<SoftmaxGradKernel>);
}

}  // namespace rondo::nn
