// One call's way through a place, from beginning to end.

#include <utility>

#include "collectives/communicator/place.h"

namespace rondo::communicator {

Status Place::call(const CallArguments& arguments) {
  trace_->enter();
  return call_as(arguments, arguments);
}

Status Place::call(const GivenCall& call) {
  const RecentCalls::Known* const known = recent_calls_.find(call);
  if (known != nullptr && known->is_prompt) return call_promptly(*known);
  trace_->enter();
  if (known != nullptr) {
    use(*known->plan);
    return run_admitted(known->used, *known->plan);
  }
  const CallArguments given = arguments_of(call);
  return call_as(given, used_by(rank(), given));
}

Status Place::call_as(const CallArguments& given, const CallArguments& used) {
  auto prepared = is_broken_.load(std::memory_order_relaxed) ? usable() : make_known(given, used);
  if (!prepared.ok()) {
    Status status = std::move(prepared).status();
    return is_left_alone_by(status) ? give_up_before(std::move(status)) : status;
  }
  if (*prepared == nullptr) return run_alone(used);
  return run_admitted(used, **prepared);
}

Status Place::run(const CallArguments& arguments, PreparedPlan& prepared) {
  trace_->enter();
  return run_admitted(arguments, prepared);
}

Status Place::run_admitted(const CallArguments& arguments, PreparedPlan& prepared) {
  if (is_broken_.load(std::memory_order_relaxed)) return usable();
  if (prepared.head_start != execute::HeadStart::kNone) return send_and_run(arguments, prepared);
  RONDO_TRY(begin(arguments, prepared));
  return finish(run_->drive(context()));
}

/// Short calls: what peers wait for goes out before anything is noted, and that is done while it is
/// on its way.
Status Place::send_and_run(const CallArguments& arguments, PreparedPlan& prepared) {
  RONDO_TRY(get_ready(arguments, prepared, {}));
  Status status = prepared.runner->send_first(last_, operands_);
  if (arguments.timeout_ms > 0) timeout_ms_ = arguments.timeout_ms;
  note(prepared);
  begin_run(*prepared.runner);
  if (status.ok()) status = prepared.runner->step().status();
  if (status.ok() && !prepared.runner->finished()) status = run_->drive(context());
  return finish(std::move(status));
}

execute::RunContext Place::context() {
  return {.rank = rank(),
          .waiter = waiter_.get(),
          .neighbours = neighbours_,
          .timeout_ms = timeout_ms_,
          .is_own_timeout = timeout_ms_ != options_.timeout_ms,
          .bystander = bystander_,
          .interruption = &interruption_};
}

Status Place::begin(const CallArguments& arguments, PreparedPlan& prepared,
                    const StreamPlace& stream) {
  RONDO_TRY(get_ready(arguments, prepared, stream));
  if (arguments.timeout_ms > 0) timeout_ms_ = arguments.timeout_ms;
  note(prepared);
  begin_run(*prepared.runner);
  prepared.runner->begin(last_, operands_);
  return {};
}

/// What the runner is to be told: which call it is, and on what memory.
Status Place::get_ready(const CallArguments& arguments, PreparedPlan& prepared,
                        const StreamPlace& stream) {
  if (stream.ready != nullptr && !prepared.on_device) {
    if (Status outcome = stream.ready->wait(); !outcome.ok())
      return give_up_before(std::move(outcome));
  }
  const CallArguments* used = &arguments;
  const bool staged = !prepared.on_device && staging_.needed(arguments);
  if (staged || Premultiplied::needed(arguments)) {
    auto made = make_ready(arguments);
    if (!made.ok()) return give_up_before(std::move(made).status());
    ready_ = *made;
    used = &ready_;
  }
  number(prepared);
  set_operands(*used, stream);
  operands_.given_input = arguments.input.pointer;
  return {};
}

void Place::number(const PreparedPlan& prepared) {
  next_.fingerprint = prepared.key;
  last_ = next_;
  ++next_.sequence;
}

void Place::set_operands(const CallArguments& arguments, const StreamPlace& stream) {
  // Runners name all memory alike; that no schedule writes to its input is verified.
  operands_.input = static_cast<std::byte*>(const_cast<void*>(arguments.input.pointer));
  operands_.output = static_cast<std::byte*>(arguments.output.pointer);
  // Word by word: what is copied as a whole is read in wider pieces than it has just been written
  // in.
  const CustomReduce& custom = arguments.reduction.custom();
  operands_.custom.reduce.function = custom.function;
  operands_.custom.reduce.context = custom.context;
  operands_.custom.reduce.commutative = custom.commutative;
  operands_.custom.dtype = arguments.input.dtype;
  operands_.ready = stream.ready;
  operands_.capture = stream.capture;
  operands_.timer = nullptr;
}

/// What others are told of the call.
void Place::note(PreparedPlan& prepared) {
  last_call_.algorithm = prepared.algorithm;
  last_call_.wire_format = prepared.wire_format;
  last_call_.predicted_us = prepared.predicted_us;
  registered_us_ = prepared.registered_us;
  last_call_.transport = prepared.on_device ? to_string(device_.kind) : transport_;
  // What is captured is moved by launches, which nobody sees.
  moves_ = prepared.moved.empty() || operands_.capture != nullptr ? nullptr : &prepared;
  if (profiled_ != nullptr) range_ = profiled_->begin_range(prepared.range.c_str());
  operands_.timer = trace_->begin(last_.sequence, prepared.record, *prepared.series);
}

void Place::begin_run(execute::Runner& runner) {
  run_.emplace(runner, last_, operands_.timer);
  waiter_->restart();
}

/// The call on memory of the host that holds what is to be combined.
Result<CallArguments> Place::make_ready(const CallArguments& arguments) {
  CallArguments ready = arguments;
  if (staging_.needed(arguments)) {
    RONDO_ASSIGN(ready, staging_.bring_in(arguments));
    staged_ = ready;
    unstaged_ = arguments;
  }
  if (!Premultiplied::needed(ready)) return ready;
  return premultiplied_.multiply(ready);
}

Status Place::give_up_before(Status cause) {
  staged_.reset();
  cause = std::move(cause).with_culprit(rank());
  abort(cause);
  return cause;
}

Status Place::finish(Status status) {
  // Whoever waits next, in whatever call or message, has not waited yet.
  waiter_->restart();
  status = run_->end(std::move(status), rank());
  trace_->end(status, run_->peers());
  run_.reset();
  if (bystander_ != nullptr) bystander_->rest();
  timeout_ms_ = options_.timeout_ms;
  if (profiled_ != nullptr) profiled_->end_range(range_);
  if (!status.ok()) {
    abort(status);
    trace_->dump(broken_);
    staged_.reset();
    return status;
  }
  if (moves_ != nullptr) trace_->note_moved(moves_->moved);
  if (!staged_.has_value()) return {};
  const CallArguments staged = *std::exchange(staged_, std::nullopt);
  return staging_.bring_out(unstaged_, staged);
}

}  // namespace rondo::communicator
