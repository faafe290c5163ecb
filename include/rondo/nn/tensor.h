#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "rondo/device.h"
#include "rondo/export.h"
#include "rondo/types.h"

namespace rondo::nn::inline v1 {

/// Sizes of a tensor's axes, outermost first. In a program (not in a tensor) -1 stands for a size
/// that is known only when the program runs, such as the batch size.
using Dims = std::vector<std::int64_t>;

/// "[32, 784]".
RONDO_API std::string to_string(const Dims& dims);
/// The product of the sizes; 1 for no axes.
RONDO_API std::int64_t count_of(const Dims& dims);

/// Nested sequences as levels of offsets: level i's sequences are made of level i+1's, the last
/// level's of rows (axis 0). Lengths {2, 3} are the offsets {0, 2, 5}. An empty sequence is legal.
using LoD = std::vector<std::vector<std::int64_t>>;

/// Values in row-major order, with the sequences they form (none for a dense tensor).
///
/// A Tensor is a handle: copies share the memory (it is freed with the last of them), `clone` does
/// not. Borrowed memory stays the lender's and must outlive every handle.
/// Threads: any for reading; one at a time for writing.
class RONDO_API Tensor {
 public:
  /// No value: `empty()`.
  Tensor() = default;
  /// Owned memory, all zero. Errors: InvalidArgument (a negative size, or more
  /// elements than can be addressed), Unsupported (the device).
  Tensor(DataType dtype, Dims dims, Device device = Device::host());
  /// Memory that somebody else owns.
  static Tensor borrow(void* data, DataType dtype, Dims dims, Device device = Device::host());
  /// A copy of `values`, of which there are as many as `dims` says. Errors: InvalidArgument.
  template <typename T>
  static Tensor from(const std::vector<T>& values, const Dims& dims);

  bool empty() const { return data_ == nullptr; }
  DataType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  std::int64_t count() const { return count_; }
  std::size_t bytes() const;
  Device device() const { return device_; }

  void* data() const { return data_; }
  /// Errors: InvalidArgument where T isn't the element type.
  template <typename T>
  T* data() const;
  /// The values, copied. Errors: as `data<T>()`.
  template <typename T>
  std::vector<T> to_vector() const;

  const LoD& lod() const { return lod_; }
  /// Errors: InvalidArgument where a level doesn't start at 0, descends, or doesn't end where the
  /// next level (or axis 0) ends.
  void set_lod(LoD lod);

  /// A copy with memory of its own.
  Tensor clone() const;

 private:
  void require(DataType wanted) const;
  static Tensor copy_of(const void* values, std::size_t count, DataType dtype, const Dims& dims);

  std::shared_ptr<void> owner_;  // shared by the copies of this handle; null where borrowed
  void* data_ = nullptr;
  std::int64_t count_ = 0;
  DataType dtype_ = DataType::kF32;
  Device device_;
  Dims dims_;
  LoD lod_;
};

/// The name that says sequences are expected; any Tensor may carry them.
using LoDTensor = Tensor;

template <typename T>
Tensor Tensor::from(const std::vector<T>& values, const Dims& dims) {
  return copy_of(values.data(), values.size(), data_type_of<T>(), dims);
}

template <typename T>
T* Tensor::data() const {
  if (dtype_ != data_type_of<T>()) require(data_type_of<T>());
  return static_cast<T*>(data_);
}

template <typename T>
std::vector<T> Tensor::to_vector() const {
  const T* values = data<T>();
  return std::vector<T>(values, values + count_);
}

}  // namespace rondo::nn::inline v1
