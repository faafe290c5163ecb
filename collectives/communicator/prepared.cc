#include "collectives/communicator/prepared.h"

#include <utility>

namespace rondo {
inline namespace v1 {

Prepared::Prepared(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Prepared::Prepared(Prepared&&) noexcept = default;
Prepared& Prepared::operator=(Prepared&&) noexcept = default;
Prepared::~Prepared() = default;

void Prepared::run() {
  if (impl_->call.stream.has_value()) return start().wait();
  throw_if_error(impl_->engine->call(impl_->arguments, impl_->plan));
}

Work Prepared::start() {
  return {impl_->engine,
          value_or_throw(impl_->engine->start(impl_->arguments, impl_->plan, impl_->stream()))};
}

}  // namespace v1
}  // namespace rondo
