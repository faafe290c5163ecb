#pragma once

#include <memory>

#include "collectives/communicator/engine.h"
#include "rondo/communicator.h"

namespace rondo {
inline namespace v1 {

class Prepared::Impl {
 public:
  Impl(std::shared_ptr<communicator::Engine> of, const Call& copied)
      : engine(std::move(of)), call(copied) {}

  /// Null: of none.
  detail::StreamImpl* stream() {
    return call.stream ? &detail::DeviceAccess::stream(*call.stream) : nullptr;
  }

  std::shared_ptr<communicator::Engine> engine;
  Call call;                                         ///< owns the counts, and shares the stream
  communicator::CallArguments arguments;             ///< of this rank
  std::shared_ptr<communicator::PreparedPlan> plan;  ///< null in a world of 1
};

}  // namespace v1
}  // namespace rondo
