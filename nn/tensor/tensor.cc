// Tensor: handle, memory and the checks at its door. Owned memory is aligned for the widest
// vector registers, which oneDNN's kernels are fastest with.

#include "rondo/nn/tensor.h"

#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "core/status.h"
#include "nn/tensor/lod.h"
#include "rondo/error.h"

namespace rondo::nn::inline v1 {
namespace {

constexpr std::align_val_t kAlignment{64};

std::shared_ptr<void> allocate_zeroed(std::size_t bytes) {
  // One byte at least: a tensor without elements still has a value.
  const std::size_t size = bytes == 0 ? 1 : bytes;
  void* memory = ::operator new(size, kAlignment);
  std::memset(memory, 0, size);
  return {memory, [](void* pointer) { ::operator delete(pointer, kAlignment); }};
}

// Bytes must be countable too, whatever the type.
constexpr std::int64_t kMostElements = std::numeric_limits<std::int64_t>::max() / 16;

std::int64_t checked_count(const Dims& dims) {
  std::int64_t count = 1;
  for (const std::int64_t size : dims) {
    if (size < 0) {
      throw Error(ErrorCode::kInvalidArgument,
                  "a tensor's sizes must be known and not negative, got " + to_string(dims));
    }
    if (size > 0 && count > kMostElements / size) {
      throw Error(ErrorCode::kInvalidArgument,
                  "a tensor " + to_string(dims) + " has more elements than can be addressed");
    }
    count *= size;
  }
  return count;
}

}  // namespace

std::string to_string(const Dims& dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
  }
  return text + "]";
}

std::int64_t count_of(const Dims& dims) {
  std::int64_t count = 1;
  for (const std::int64_t size : dims) count *= size;
  return count;
}

Tensor::Tensor(DataType dtype, Dims dims, Device device)
    : count_(checked_count(dims)), dtype_(dtype), device_(device), dims_(std::move(dims)) {
  if (device.kind != DeviceKind::kHost) {
    throw Error(ErrorCode::kUnsupported,
                std::string("tensors own memory of the host only, not of ") +
                    rondo::to_string(device.kind) + "; borrow the device's memory instead");
  }
  owner_ = allocate_zeroed(bytes());
  data_ = owner_.get();
}

Tensor Tensor::borrow(void* data, DataType dtype, Dims dims, Device device) {
  Tensor tensor;
  tensor.count_ = checked_count(dims);
  tensor.data_ = data;
  tensor.dtype_ = dtype;
  tensor.device_ = device;
  tensor.dims_ = std::move(dims);
  return tensor;
}

Tensor Tensor::copy_of(const void* values, std::size_t count, DataType dtype, const Dims& dims) {
  Tensor tensor(dtype, dims);
  if (static_cast<std::size_t>(tensor.count()) != count) {
    throw Error(ErrorCode::kInvalidArgument, "shape " + to_string(tensor.dims()) + " needs " +
                                                 std::to_string(tensor.count()) + " values, got " +
                                                 std::to_string(count));
  }
  if (count > 0) std::memcpy(tensor.data(), values, tensor.bytes());
  return tensor;
}

std::size_t Tensor::bytes() const { return static_cast<std::size_t>(count_) * size_of(dtype_); }

void Tensor::require(DataType wanted) const {
  throw Error(ErrorCode::kInvalidArgument, std::string("the tensor holds ") +
                                               rondo::to_string(dtype_) + ", not " +
                                               rondo::to_string(wanted));
}

void Tensor::set_lod(LoD lod) {
  throw_if_error(check_lod(lod, dims_));
  lod_ = std::move(lod);
}

Tensor Tensor::clone() const {
  if (empty()) return {};
  Tensor copy(dtype_, dims_, device_);
  std::memcpy(copy.data_, data_, bytes());
  copy.lod_ = lod_;
  return copy;
}

}  // namespace rondo::nn::inline v1
