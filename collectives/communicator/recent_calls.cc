#include "collectives/communicator/recent_calls.h"

#include <algorithm>

namespace rondo::communicator {
namespace {

template <typename SomeBuffer, typename AnyBuffer>
bool same(const SomeBuffer& a, const AnyBuffer& b) {
  return a.pointer == b.pointer && a.count == b.count && a.dtype == b.dtype && a.place == b.place;
}

bool is_simple(schedule::Collective collective, const Reduction& reduction) {
  return collective <= schedule::Collective::kBarrier &&
         reduction.kind() == Reduction::Kind::kBuiltIn;
}

bool is_simple(const CallArguments& arguments) {
  const bool has_counts = !arguments.input_counts.empty() || !arguments.output_counts.empty();
  return is_simple(arguments.collective, arguments.reduction) &&
         (arguments.uneven || !has_counts) && arguments.exchange == Exchange::kNone &&
         !arguments.of_split && arguments.timeout_ms >= 0;
}

GivenCall as_given(const CallArguments& used) {
  return {.collective = used.collective,
          .input = &used.input,
          .output = used.output,
          .reduction = used.reduction,
          .root = used.root};
}

/// Word by word. `in_place`: the known call's input is its output.
bool is(const CallArguments& known, bool in_place, const GivenCall& call) {
  const bool same_input = call.input == nullptr ? in_place : same(known.input, *call.input);
  return same_input && same(known.output, call.output) &&
         known.reduction.op() == call.reduction.op() && known.root == call.root;
}

bool same_counts(std::span<const std::size_t> a, std::span<const std::size_t> b) {
  return std::ranges::equal(a, b);
}

/// What a gather's or scatter's other ranks have instead of the root's counts may be anything, and
/// isn't looked at.
bool has_counts(const RecentCalls::Known& known, const GivenCall& call) {
  using schedule::Collective;
  const bool any_input = call.collective == Collective::kScatter && known.input_counts.empty();
  const bool any_output = call.collective == Collective::kGather && known.output_counts.empty();
  return (any_input || same_counts(known.input_counts, call.input_counts)) &&
         (any_output || same_counts(known.output_counts, call.output_counts));
}

}  // namespace

const RecentCalls::Known* RecentCalls::find(const GivenCall& call) const {
  if (!is_simple(call.collective, call.reduction)) return nullptr;
  const Known& known = known_[index_of(call.collective, call.uneven)];
  if (known.plan == nullptr || !is(known.given, known.is_in_place, call)) return nullptr;
  return !call.uneven || has_counts(known, call) ? &known : nullptr;
}

PreparedPlan* RecentCalls::find(const CallArguments& used) const {
  if (!is_simple(used)) return nullptr;
  const Known& known = known_[index_of(used.collective, used.uneven)];
  const bool found = is(known.used, false, as_given(used)) &&
                     same_counts(known.input_counts, used.input_counts) &&
                     same_counts(known.output_counts, used.output_counts);
  return found ? known.plan : nullptr;
}

void RecentCalls::remember(const CallArguments& given, const CallArguments& used,
                           PreparedPlan* plan, bool is_prompt) {
  if (!is_simple(used)) return;
  Known& known = known_[index_of(used.collective, used.uneven)];
  known.input_counts.assign(used.input_counts.begin(), used.input_counts.end());
  known.output_counts.assign(used.output_counts.begin(), used.output_counts.end());
  known.given = given;
  known.given.input_counts = known.given.output_counts = {};
  known.used = used;
  known.used.input_counts = known.input_counts;
  known.used.output_counts = known.output_counts;
  // A deadline is one call's own.
  known.given.timeout_ms = known.used.timeout_ms = 0;
  known.plan = plan;
  known.is_in_place = same(given.input, given.output);
  known.is_prompt = is_prompt;
}

void RecentCalls::forget() { known_ = {}; }

void RecentCalls::forget(const PreparedPlan& plan) {
  for (Known& known : known_)
    if (known.plan == &plan) known.plan = nullptr;
}

}  // namespace rondo::communicator
