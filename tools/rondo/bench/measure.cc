#include "tools/rondo/bench/measure.h"

#include <cstring>
#include <utility>

#include "tools/rondo/bench/overlap.h"
#include "tools/rondo/bench/pattern.h"
#include "tools/rondo/bench/rank_times.h"
#include "tools/rondo/bench/result_check.h"
#include "tools/rondo/bench/stopwatch.h"

namespace rondo::tool {
namespace {

/// Result memory is filled with this, so that a call that writes nothing shows.
constexpr int kPoison = 0xA5;

std::uint64_t sum_over_ranks(Communicator& communicator, std::uint64_t value) {
  communicator.all_reduce({&value, 1, DataType::kU64}, ReduceOp::kSum);
  return value;
}

/// A region, in bytes.
struct Bytes {
  std::size_t first = 0;
  std::size_t count = 0;
};

Bytes bytes_of(const Region& region, DataType type) {
  return {region.first * size_of(type), region.count * size_of(type)};
}

}  // namespace

Measurement::Measurement(Communicator& communicator, const BenchMemory& input,
                         const BenchMemory& output, Repeats repeats)
    : communicator_(communicator), input_(input), output_(output), repeats_(repeats) {}

BenchResult Measurement::run(const CallSpec& spec) {
  std::vector<double> times_us;
  times_us.reserve(static_cast<std::size_t>(repeats_.iterations));
  wrong_ = 0;
  for (int i = 0; i < repeats_.warmup + repeats_.iterations; ++i) {
    const double time_us = timed_calls(spec);
    const bool is_timed = i >= repeats_.warmup;
    if (is_timed) times_us.push_back(time_us);
    if (repeats_.calls == 1 && !(is_timed && checks_apart())) check(spec);
  }
  if (repeats_.check && checks_apart()) {
    write_buffers(spec, ++calls_);
    start_calls(calls_of(spec), 1);
    ran_ = info_of(spec);
    check(spec);
  }
  const CallInfo info = ran_;
  combine_over_ranks(communicator_, repeats_.time_of, times_us);
  BenchResult result = describe(spec, info);
  set_times(result, times_us);
  if (repeats_.keep_times) result.times_us = std::move(times_us);
  const bool has_result = !spec.operation.is(Collective::kBarrier);
  const bool exact = info.wire_format == "none";
  if (repeats_.check && has_result && exact) result.wrong = sum_over_ranks(communicator_, wrong_);
  if (repeats_.overlap) result.overlap = measure_overlap(spec);
  return result;
}

BenchResult Measurement::describe(const CallSpec& spec, const CallInfo& info) const {
  const Layout layout = layout_of(spec, communicator_.size(), communicator_.rank());
  BenchResult result;
  result.transport = info.transport;
  result.algorithm = info.algorithm;
  result.wire_format = info.wire_format;
  result.predicted_us = info.predicted_us;
  result.operation = spec.operation;
  result.bytes = layout.bytes;
  result.count = layout.count;
  result.type = spec.type;
  result.op = spec.op;
  result.root = spec.root;
  result.ranks = communicator_.size();
  result.in_place = spec.in_place;
  result.time_of = repeats_.time_of;
  result.calls = repeats_.calls;
  return result;
}

/// Whoever has written his buffers long before the others sleeps in the first barrier, and would
/// come out of it late; from the second all go at once.
void Measurement::meet() {
  communicator_.barrier();
  communicator_.barrier();
}

double Measurement::timed_calls(const CallSpec& spec) {
  write_buffers(spec, ++calls_);
  if (repeats_.calls > 1) {
    const std::vector<Call> calls = calls_of(spec);
    meet();
    const Clock::time_point start = Clock::now();
    start_calls(calls, repeats_.calls);
    return ended(spec, start) / repeats_.calls;
  }
  // Counts are what a caller has ready before it calls.
  const bool plain = !spec.operation.uneven() && !spec.operation.sends();
  const std::vector<Call> calls = plain ? std::vector<Call>{} : calls_of(spec);
  meet();
  const Clock::time_point start = Clock::now();
  if (plain) {
    make_call(spec);
  } else if (spec.operation.uneven()) {
    communicator_.run(calls.front());
  } else {
    start_calls(calls, 1);
  }
  return ended(spec, start);
}

/// What it took, once all have ended: whoever is done would go on to check his results, for tens of
/// microseconds, and a rank that shares the core has its turn only then.
double Measurement::ended(const CallSpec& spec, Clock::time_point start) {
  const double us = us_since(start);
  ran_ = info_of(spec);
  communicator_.barrier();
  return us;
}

/// Of calls that are timed together only the last one's result could be looked at; and to look at
/// what is on a device brings all of it through the host's caches, where the next call's own code
/// and data would be gone from.
bool Measurement::checks_apart() const {
  return repeats_.calls > 1 || output_.device().kind != DeviceKind::kHost;
}

void Measurement::start_calls(const std::vector<Call>& calls, int times) {
  works_.clear();
  for (int i = 0; i < times; ++i) {
    for (const Call& call : calls) works_.push_back(communicator_.start(call));
  }
  for (Work& work : works_) work.wait();
}

Overlap Measurement::measure_overlap(const CallSpec& spec) {
  OverlapMeasurement measurement(communicator_, calls_of(spec),
                                 [&] { write_buffers(spec, ++calls_); });
  return measurement.run(repeats_.iterations, repeats_.warmup);
}

const BenchMemory& Measurement::input_memory(const CallSpec& spec) const {
  return spec.in_place ? output_ : input_;
}

void Measurement::write_buffers(const CallSpec& spec, std::uint64_t salt) {
  const int world = communicator_.size();
  const int rank = communicator_.rank();
  const Layout layout = layout_of(spec, world, rank);
  const Bytes output = bytes_of(layout.output, spec.type);
  std::memset(output_.on_host() + output.first, kPoison, output_.written_of(output.count, 1));
  output_.upload(output.first, output.count, 1);
  const Operation& operation = spec.operation;
  const bool from_root = operation.is(Collective::kBroadcast) || operation.is(Collective::kScatter);
  if ((from_root && rank != spec.root) || operation.is(Collective::kBarrier)) return;
  const Pattern pattern = input_pattern(spec.type, spec.op, rank, world, salt);
  const Bytes input = bytes_of(layout.input, spec.type);
  const BenchMemory& memory = input_memory(spec);
  const std::size_t period = pattern.bytes.size();
  const std::size_t written = memory.written_of(input.count, period) / size_of(spec.type);
  write_pattern(pattern, memory.on_host() + input.first, written, 0);
  memory.upload(input.first, input.count, period);
}

Measurement::Buffers Measurement::buffers_of(const CallSpec& spec) const {
  const Layout layout = layout_of(spec, communicator_.size(), communicator_.rank());
  const BenchMemory& memory = input_memory(spec);
  return {{memory.data() + bytes_of(layout.input, spec.type).first, layout.input.count, spec.type,
           memory.device()},
          {output_.data() + bytes_of(layout.output, spec.type).first, layout.output.count,
           spec.type, output_.device()}};
}

void Measurement::make_call(const CallSpec& spec) {
  const auto [input, output] = buffers_of(spec);
  const Reduction op = reduction_of(spec.op, communicator_.rank());
  switch (spec.operation.collective) {
    case Collective::kAllReduce:
      if (spec.in_place) return communicator_.all_reduce(output, op);
      return communicator_.all_reduce(input, output, op);
    case Collective::kAllGather: return communicator_.all_gather(input, output);
    case Collective::kReduceScatter: return communicator_.reduce_scatter(input, output, op);
    case Collective::kBroadcast: return communicator_.broadcast(output, spec.root);
    case Collective::kReduce: return communicator_.reduce(input, output, spec.root, op);
    case Collective::kGather: return communicator_.gather(input, output, spec.root);
    case Collective::kScatter: return communicator_.scatter(input, output, spec.root);
    case Collective::kAllToAll: return communicator_.all_to_all(input, output);
    case Collective::kBarrier: return communicator_.barrier();
  }
}

Call Measurement::call_of(const CallSpec& spec) const {
  const auto [input, output] = buffers_of(spec);
  const Reduction op = reduction_of(spec.op, communicator_.rank());
  switch (spec.operation.collective) {
    case Collective::kAllReduce:
      if (spec.in_place) return Call::all_reduce(output, op);
      return Call::all_reduce(input, output, op);
    case Collective::kAllGather: return Call::all_gather(input, output);
    case Collective::kReduceScatter: return Call::reduce_scatter(input, output, op);
    case Collective::kBroadcast: return Call::broadcast(output, spec.root);
    case Collective::kReduce: return Call::reduce(input, output, spec.root, op);
    case Collective::kGather: return Call::gather(input, output, spec.root);
    case Collective::kScatter: return Call::scatter(input, output, spec.root);
    case Collective::kAllToAll: return Call::all_to_all(input, output);
    case Collective::kBarrier: break;
  }
  return Call::barrier();
}

Call Measurement::uneven_call_of(const CallSpec& spec) const {
  const auto [input, output] = buffers_of(spec);
  const int world = communicator_.size();
  const std::vector<std::size_t> parts = parts_of(spec, world);
  switch (spec.operation.collective) {
    case Collective::kAllGather: return Call::all_gather_v(input, output, parts);
    case Collective::kReduceScatter:
      return Call::reduce_scatter_v(input, output, parts,
                                    reduction_of(spec.op, communicator_.rank()));
    case Collective::kGather: return Call::gather_v(input, output, parts, spec.root);
    case Collective::kScatter: return Call::scatter_v(input, output, parts, spec.root);
    default: break;
  }
  // What goes to a rank is as much as what comes from it.
  const std::vector<std::size_t> row =
      row_of(spec.operation, spec.bytes / size_of(spec.type), world, communicator_.rank());
  return Call::all_to_all_v(input, row, output, row);
}

std::vector<Call> Measurement::calls_of(const CallSpec& spec) const {
  if (spec.operation.uneven()) return {uneven_call_of(spec)};
  if (!spec.operation.sends()) return {call_of(spec)};
  const auto [input, output] = buffers_of(spec);
  const int world = communicator_.size();
  const int rank = communicator_.rank();
  return {Call::receive(output, (rank + world - 1) % world), Call::send(input, (rank + 1) % world)};
}

CallInfo Measurement::info_of(const CallSpec& spec) const {
  CallInfo info = communicator_.last_call();
  if (!spec.operation.sends()) return info;
  info.algorithm = "none";
  info.wire_format = "none";
  info.predicted_us = 0;
  return info;
}

void Measurement::check(const CallSpec& spec) {
  const bool exact = ran_.wire_format == "none";
  if (repeats_.check && exact) wrong_ += count_wrong_results(spec, calls_);
}

std::uint64_t Measurement::count_wrong_results(const CallSpec& spec, std::uint64_t salt) {
  const int world = communicator_.size();
  const int rank = communicator_.rank();
  const Bytes output = bytes_of(layout_of(spec, world, rank).output, spec.type);
  output_.download(output.first, output.count);
  return ResultCheck(spec, world, rank, salt, output_.on_host() + output.first)
      .count_wrong_elements();
}

}  // namespace rondo::tool
