// Short calls that are known, on memory that the runner takes as it is: all that isn't needed for
// what peers wait for, or to hand the result to the caller, is done while messages are on their
// way. Of an 8-byte all_reduce between two cores that share a cache half of the time is such work.

#include <utility>

#include "collectives/communicator/place.h"

namespace rondo::communicator {

/// Whether calls of that kind can be made so: nobody but the endpoints counts what is moved, and no
/// profiler looks on.
bool Place::is_prompt(const CallArguments& used, const PreparedPlan& prepared) const {
  return prepared.head_start != execute::HeadStart::kNone && prepared.moved.empty() &&
         profiled_ == nullptr && !staging_.needed(used);
}

Status Place::call_promptly(const RecentCalls::Known& known) {
  if (is_broken_.load(std::memory_order_relaxed)) return usable();
  number(*known.plan);
  set_operands(known.used, {});
  execute::Runner& runner = *known.plan->runner;
  // Beside the reading at the end of the call before, this one costs less than behind long copies,
  // which would have to be over.
  const bool is_long = known.plan->head_start == execute::HeadStart::kLong;
  if (is_long) trace_->enter();
  Status status = runner.send_first(last_, operands_);
  if (!is_long) trace_->enter();
  use(*known.plan);
  note(*known.plan);
  if (status.ok() && runner.end_at_once(status, rank())) {
    finish_promptly(status, runner);
    return status;
  }
  begin_run(runner);
  if (status.ok()) status = run_->drive(context());
  return finish(std::move(status));
}

/// What `finish` does of a call that has waited for nothing but its first looks.
void Place::finish_promptly(const Status& status, const execute::Runner& runner) {
  trace_->end(status,
              trace_->notes_links() ? runner.peers() : std::span<transport::Endpoint* const>());
  if (!status.ok()) [[unlikely]]
    abort(status);
}

}  // namespace rondo::communicator
