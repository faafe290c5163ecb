#include "collectives/communicator/recent_calls.h"

namespace rondo::communicator {
namespace {

template <typename AnyBuffer>
bool same(const ConstBuffer& a, const AnyBuffer& b) {
  return a.pointer == b.pointer && a.count == b.count && a.dtype == b.dtype && a.place == b.place;
}

bool same(const Buffer& a, const Buffer& b) {
  return a.pointer == b.pointer && a.count == b.count && a.dtype == b.dtype && a.place == b.place;
}

bool is_simple(schedule::Collective collective, const Reduction& reduction) {
  return collective <= schedule::Collective::kBarrier &&
         reduction.kind() == Reduction::Kind::kBuiltIn;
}

bool is_simple(const CallArguments& arguments) {
  return is_simple(arguments.collective, arguments.reduction) && !arguments.uneven &&
         arguments.input_counts.empty() && arguments.output_counts.empty() &&
         arguments.exchange == Exchange::kNone && arguments.timeout_ms >= 0;
}

std::size_t index_of(schedule::Collective collective) {
  return static_cast<std::size_t>(collective);
}

/// Word by word.
bool is(const CallArguments& known, const GivenCall& call) {
  const bool same_input =
      call.input == nullptr ? same(known.input, call.output) : same(known.input, *call.input);
  return same_input && same(known.output, call.output) &&
         known.reduction.op() == call.reduction.op() && known.root == call.root;
}

}  // namespace

const RecentCalls::Known* RecentCalls::find(const GivenCall& call) const {
  if (!is_simple(call.collective, call.reduction)) return nullptr;
  const Known& known = known_[index_of(call.collective)];
  return known.plan != nullptr && is(known.given, call) ? &known : nullptr;
}

PreparedPlan* RecentCalls::find(const CallArguments& used) const {
  if (!is_simple(used)) return nullptr;
  const Known& known = known_[index_of(used.collective)];
  const bool same = is(known.used, {.collective = used.collective,
                                    .input = &used.input,
                                    .output = used.output,
                                    .reduction = used.reduction,
                                    .root = used.root});
  return same ? known.plan : nullptr;
}

void RecentCalls::remember(const CallArguments& given, const CallArguments& used,
                           PreparedPlan* plan) {
  if (is_simple(used)) known_[index_of(used.collective)] = {given, used, plan};
}

}  // namespace rondo::communicator
