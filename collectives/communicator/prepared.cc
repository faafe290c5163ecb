#include "collectives/communicator/prepared.h"

#include <utility>

namespace rondo {
namespace {

template <class Impl>
Impl& alive(const std::unique_ptr<Impl>& impl) {
  if (impl != nullptr) return *impl;
  throw Error(ErrorCode::kInvalidArgument,
              "this prepared call was moved from: use the one that it was moved to");
}

}  // namespace

inline namespace v1 {

Prepared::Prepared(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Prepared::Prepared(Prepared&&) noexcept = default;
Prepared& Prepared::operator=(Prepared&&) noexcept = default;
Prepared::~Prepared() = default;

void Prepared::run() {
  Impl& own = alive(impl_);
  if (own.call.stream.has_value()) return start().wait();
  throw_if_error(own.engine->call(own.arguments, own.plan));
}

Work Prepared::start() {
  Impl& own = alive(impl_);
  return {own.engine, value_or_throw(own.engine->start(own.arguments, own.plan, own.stream()))};
}

}  // namespace v1
}  // namespace rondo
