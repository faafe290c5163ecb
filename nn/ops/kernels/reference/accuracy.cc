#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/reference/class_label.h"
#include "nn/ops/kernels/reference/register_kernels.h"

namespace rondo::nn {
namespace {

// How many classes of the row are placed before `label`. A NaN counts as placed before, and a label
// whose own value is one as last: a model that has diverged isn't right by accident.
template <typename T>
std::int64_t place_of(const T* row, std::int64_t classes, std::int64_t label) {
  std::int64_t before = 0;
  for (std::int64_t j = 0; j < classes; ++j) {
    const bool behind = row[j] < row[label] || (row[j] == row[label] && j >= label);
    if (!behind) ++before;
  }
  return before;
}

template <typename T>
Status accuracy(const KernelSetup& setup, const KernelArgs& args) {
  const auto k = setup.op->attribute<std::int64_t>("k", 1);
  const std::int64_t classes = args.in(0).dims()[1];
  const std::int64_t rows = args.in(1).count();
  const T* x = args.in(0).data<T>();
  const auto* label = args.in(1).data<std::int64_t>();
  std::int64_t right = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    RONDO_TRY(check_label(label[row], classes, row));
    if (place_of(x + row * classes, classes, label[row]) < k) ++right;
  }
  args.out(0)->data<T>()[0] = static_cast<T>(right) / static_cast<T>(rows);
  return {};
}

}  // namespace

void add_accuracy_reference(KernelRegistry& registry) {
  add_reference(registry, "accuracy", accuracy<float>, accuracy<double>);
}

}  // namespace rondo::nn
