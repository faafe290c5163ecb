#include "collectives/communicator/recent_calls.h"

namespace rondo::communicator {
namespace {

template <typename AnyBuffer>
bool same(const AnyBuffer& a, const AnyBuffer& b) {
  return a.pointer == b.pointer && a.count == b.count && a.dtype == b.dtype && a.place == b.place;
}

bool is_simple(const CallArguments& arguments) {
  return arguments.collective <= schedule::Collective::kBarrier && !arguments.uneven &&
         arguments.exchange == Exchange::kNone && arguments.timeout_ms >= 0 &&
         arguments.reduction.kind() == Reduction::Kind::kBuiltIn;
}

std::size_t index_of(const CallArguments& arguments) {
  return static_cast<std::size_t>(arguments.collective);
}

}  // namespace

PreparedPlan* RecentCalls::find(const CallArguments& arguments) const {
  if (!is_simple(arguments)) return nullptr;
  const Known& known = known_[index_of(arguments)];
  const CallArguments& last = known.arguments;
  const bool is_same = same(last.input, arguments.input) && same(last.output, arguments.output) &&
                       last.reduction.op() == arguments.reduction.op() &&
                       last.root == arguments.root;
  return is_same ? known.plan : nullptr;
}

void RecentCalls::remember(const CallArguments& arguments, PreparedPlan* plan) {
  if (is_simple(arguments)) known_[index_of(arguments)] = {arguments, plan};
}

}  // namespace rondo::communicator
