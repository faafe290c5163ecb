#include "rondo/work.h"

#include <utility>

#include "collectives/communicator/engine.h"

namespace rondo {
inline namespace v1 {

using communicator::Engine;

Work::Work(std::shared_ptr<Engine> engine, communicator::PendingCall* call)
    : engine_(std::move(engine)), call_(call) {}

Work::Work(Work&& other) noexcept
    : engine_(std::move(other.engine_)), call_(std::exchange(other.call_, nullptr)) {}

Work& Work::operator=(Work&& other) noexcept {
  Work given(std::move(other));
  std::swap(engine_, given.engine_);
  std::swap(call_, given.call_);
  return *this;
}

Work::~Work() {
  if (call_ != nullptr) engine_->drop(*call_);
}

bool Work::test() { return call_ == nullptr || engine_->test(*call_); }

void Work::wait() {
  if (call_ == nullptr) return;
  value_or_throw(engine_->wait(*call_));
  call_->rethrow();
}

bool Work::wait_for(std::chrono::milliseconds limit) {
  if (call_ == nullptr) return true;
  const auto now = std::chrono::steady_clock::now();
  const bool is_never =
      limit >= std::chrono::duration_cast<std::chrono::milliseconds>(Engine::kNever - now);
  const bool done = value_or_throw(engine_->wait(*call_, is_never ? Engine::kNever : now + limit));
  if (done) call_->rethrow();
  return done;
}

void Work::cancel() {
  if (call_ != nullptr) engine_->cancel(*call_);
}

void Work::then(std::function<void(const Error*)> continuation) {
  if (continuation == nullptr) {
    throw Error(ErrorCode::kInvalidArgument, "then: the continuation is empty");
  }
  if (call_ == nullptr) return continuation(nullptr);
  // It may drop this work, whose call is the last thing to hold what ran it.
  const std::shared_ptr<Engine> engine = engine_;
  throw_if_error(engine->then(*call_, std::move(continuation)));
}

}  // namespace v1
}  // namespace rondo
