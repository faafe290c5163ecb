#include "collectives/kernels/custom.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

#include "core/one_line.h"

namespace rondo::kernels {
namespace {

/// What is combined so far, on the stack: a target may be a source that is still to be read, and a
/// peer's memory that is stored to, no place for sums on their way. Stays in the first cache.
constexpr std::size_t kBlockBytes = 8 * 1024;

void reduce_blocks(const CustomKernel& kernel, const ReduceArguments& arguments) {
  alignas(64) std::byte sum[kBlockBytes];
  const auto& [function, context, commutative] = kernel.reduce;
  const std::size_t element_bytes = size_of(kernel.dtype);
  const std::size_t most = kBlockBytes / element_bytes;
  for (std::size_t begin = 0; begin < arguments.count; begin += most) {
    const std::size_t count = std::min(most, arguments.count - begin);
    const std::size_t offset = begin * element_bytes;
    const auto at = [offset](const void* source) {
      return static_cast<const std::byte*>(source) + offset;
    };
    std::memcpy(sum, at(arguments.sources[0]), count * element_bytes);
    for (const void* source : arguments.sources.subspan(1)) {
      function(sum, at(source), count, kernel.dtype, context);
    }
    for (void* target : arguments.targets) {
      std::memcpy(static_cast<std::byte*>(target) + offset, sum, count * element_bytes);
    }
  }
}

Status threw(ErrorCode code, const std::string& what) {
  return Status(code, "the custom reduction threw: " + on_one_line(what));
}

}  // namespace

Status reduce_by(const CustomKernel& kernel, const ReduceArguments& arguments) {
  try {
    reduce_blocks(kernel, arguments);
    return {};
  } catch (const Error& error) {
    return threw(error.code(), error.message());
  } catch (const std::exception& error) {
    return threw(ErrorCode::kCancelled, error.what());
  } catch (...) {
    return threw(ErrorCode::kCancelled, "something that is no std::exception");
  }
}

}  // namespace rondo::kernels
