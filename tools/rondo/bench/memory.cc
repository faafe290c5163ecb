#include "tools/rondo/bench/memory.h"

#include <algorithm>

#include "rondo/error.h"

namespace rondo::tool {

BenchMemory::BenchMemory(std::size_t bytes, bool registered) {
  constexpr std::size_t kPageBytes = 4096;
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + kPageBytes - 1) & ~(kPageBytes - 1);
  if (registered) {
    registered_.emplace(whole);
    data_ = static_cast<std::byte*>(registered_->data());
    return;
  }
  ordinary_.reset(std::aligned_alloc(kPageBytes, whole));
  if (ordinary_ == nullptr) {
    throw Error(ErrorCode::kSystem, "no memory for a buffer of " + std::to_string(whole) +
                                        " bytes; lower -e, or use fewer ranks on this machine");
  }
  data_ = static_cast<std::byte*>(ordinary_.get());
}

}  // namespace rondo::tool
