#include "collectives/communicator/growing_memory.h"

namespace rondo::communicator {

Result<std::byte*> GrowingMemory::at_least(std::size_t bytes) {
  try {
    if (!memory_.has_value() || memory_->bytes() < bytes) {
      memory_.reset();
      memory_.emplace(bytes);
    }
    return static_cast<std::byte*>(memory_->data());
  } catch (const Error& error) {
    return Status(error.code(), error.message(), error.culprit(), error.where());
  }
}

}  // namespace rondo::communicator
