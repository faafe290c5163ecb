#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/onednn/primitive_cache.h"
#include "nn/ops/kernels/onednn/register_kernels.h"
#include "nn/ops/matrix_shape.h"

namespace rondo::nn {
namespace {

dnnl::memory::desc transposed(std::int64_t rows, std::int64_t columns) {
  return {{rows, columns}, dnnl::memory::data_type::f32, Dims{1, rows}};
}

PreparedPrimitive prepare_product(const dnnl::memory::desc& a, const dnnl::memory::desc& b,
                                  const dnnl::memory::desc& product) {
  const dnnl::matmul::desc desc(a, b, product);
  return prepare<dnnl::matmul>(
      dnnl::matmul::primitive_desc(desc, primitive_attributes(), cpu_engine()),
      {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST});
}

class MulKernel final : public Kernel {
 public:
  explicit MulKernel(const KernelSetup& setup) : op_(*setup.op), cache_(setup.counters) {}

  Status run(const KernelArgs& args) override {
    const MatrixShape m = matrix_shape(args.in(0).dims(), args.in(1).dims(), row_axes(op_));
    const auto make = [&] {
      return prepare_product(row_major({m.rows, m.inner}), row_major({m.inner, m.columns}),
                             row_major({m.rows, m.columns}));
    };
    return cache_.run({m.rows, m.inner, m.columns}, make,
                      {{DNNL_ARG_SRC, args.in(0).data()},
                       {DNNL_ARG_WEIGHTS, args.in(1).data()},
                       {DNNL_ARG_DST, args.out(0)->data()}});
  }

 private:
  const Op& op_;
  PrimitiveCache cache_;
};

class MulGradKernel final : public Kernel {
 public:
  explicit MulGradKernel(const KernelSetup& setup)
      : op_(*setup.op), dx_(setup.counters), dy_(setup.counters) {}

  Status run(const KernelArgs& args) override {
    const MatrixShape m = matrix_shape(args.in(0).dims(), args.in(1).dims(), row_axes(op_));
    if (args.out(0) != nullptr) RONDO_TRY(run_dx(m, args));
    if (args.out(1) != nullptr) RONDO_TRY(run_dy(m, args));
    return {};
  }

 private:
  Status run_dx(const MatrixShape& m, const KernelArgs& args) {
    const auto make = [&] {
      return prepare_product(row_major({m.rows, m.columns}), transposed(m.columns, m.inner),
                             row_major({m.rows, m.inner}));
    };
    return dx_.run({m.rows, m.inner, m.columns}, make,
                   {{DNNL_ARG_SRC, args.in(2).data()},
                    {DNNL_ARG_WEIGHTS, args.in(1).data()},
                    {DNNL_ARG_DST, args.out(0)->data()}});
  }

  Status run_dy(const MatrixShape& m, const KernelArgs& args) {
    const auto make = [&] {
      return prepare_product(transposed(m.inner, m.rows), row_major({m.rows, m.columns}),
                             row_major({m.inner, m.columns}));
    };
    return dy_.run({m.rows, m.inner, m.columns}, make,
                   {{DNNL_ARG_SRC, args.in(0).data()},
                    {DNNL_ARG_WEIGHTS, args.in(2).data()},
                    {DNNL_ARG_DST, args.out(1)->data()}});
  }

  const Op& op_;
  PrimitiveCache dx_;
  PrimitiveCache dy_;
};

}  // namespace

void add_mul_onednn(KernelRegistry& registry) {
  registry.add("mul", DataType::kF32, KernelSource::kOneDnn, make_kernel<MulKernel>);
  registry.add("mul_grad", DataType::kF32, KernelSource::kOneDnn, make_kernel<MulGradKernel>);
}

}  // namespace rondo::nn
