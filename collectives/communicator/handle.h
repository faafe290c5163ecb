#pragma once

// What a Communicator's handle holds. Threads: as Communicator.

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "collectives/communicator/engine.h"
#include "collectives/communicator/place.h"
#include "core/status.h"
#include "rondo/communicator.h"

namespace rondo {
inline namespace v1 {

class Communicator::Impl {
 public:
  explicit Impl(std::shared_ptr<communicator::Engine> engine) : engine_(std::move(engine)) {}
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const std::shared_ptr<communicator::Engine>& shared() const { return engine_; }
  communicator::Engine& engine() { return *engine_; }
  const communicator::Place& place() const { return engine_->place(); }

 private:
  /// What is behind it is never destroyed.
  void abandon();

  std::shared_ptr<communicator::Engine> engine_;
  pid_t owner_ = ::getpid();
};

/// Errors: InvalidArgument, where another handle has taken it over.
template <class Impl>
Impl& alive(const std::unique_ptr<Impl>& impl) {
  if (impl == nullptr) {
    throw_if_error(Status(ErrorCode::kInvalidArgument,
                          "this communicator was moved from: use the handle that it was moved to"));
  }
  return *impl;
}

}  // namespace v1
}  // namespace rondo
