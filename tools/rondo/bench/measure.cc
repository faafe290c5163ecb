#include "tools/rondo/bench/measure.h"

#include <cstring>
#include <utility>

#include "tools/rondo/bench/overlap.h"
#include "tools/rondo/bench/pattern.h"
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
    if (i >= repeats_.warmup) times_us.push_back(time_us);
  }
  if (repeats_.calls > 1) {
    write_buffers(spec, ++calls_);
    make_call(spec);
    check(spec);
  }
  const CallInfo info = communicator_.last_call();
  communicator_.all_reduce({times_us.data(), times_us.size(), DataType::kF64}, ReduceOp::kMax);
  BenchResult result = describe(spec, info);
  set_times(result, times_us);
  if (repeats_.keep_times) result.times_us = std::move(times_us);
  const bool has_result = spec.collective != Collective::kBarrier;
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
  result.collective = spec.collective;
  result.bytes = layout.bytes;
  result.count = layout.count;
  result.type = spec.type;
  result.op = spec.op;
  result.root = spec.root;
  result.ranks = communicator_.size();
  result.in_place = spec.in_place;
  return result;
}

double Measurement::timed_calls(const CallSpec& spec) {
  write_buffers(spec, ++calls_);
  if (repeats_.calls > 1) {
    const Call call = call_of(spec);
    communicator_.barrier();
    const Clock::time_point start = Clock::now();
    start_calls(call);
    return us_since(start) / repeats_.calls;
  }
  communicator_.barrier();
  const Clock::time_point start = Clock::now();
  make_call(spec);
  const double time_us = us_since(start);
  check(spec);
  return time_us;
}

void Measurement::start_calls(const Call& call) {
  works_.clear();
  for (int i = 0; i < repeats_.calls; ++i) works_.push_back(communicator_.start(call));
  for (Work& work : works_) work.wait();
}

Overlap Measurement::measure_overlap(const CallSpec& spec) {
  OverlapMeasurement measurement(communicator_, call_of(spec),
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
  std::memset(output_.on_host() + output.first, kPoison, output.count);
  output_.upload(output.first, output.count);
  const bool from_root =
      spec.collective == Collective::kBroadcast || spec.collective == Collective::kScatter;
  if ((from_root && rank != spec.root) || spec.collective == Collective::kBarrier) return;
  const Pattern pattern = input_pattern(spec.type, spec.op, rank, world, salt);
  const Bytes input = bytes_of(layout.input, spec.type);
  const BenchMemory& memory = input_memory(spec);
  write_pattern(pattern, memory.on_host() + input.first, layout.input.count, 0);
  memory.upload(input.first, input.count);
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
  switch (spec.collective) {
    case Collective::kAllReduce:
      if (spec.in_place) return communicator_.all_reduce(output, spec.op);
      return communicator_.all_reduce(input, output, spec.op);
    case Collective::kAllGather: return communicator_.all_gather(input, output);
    case Collective::kReduceScatter: return communicator_.reduce_scatter(input, output, spec.op);
    case Collective::kBroadcast: return communicator_.broadcast(output, spec.root);
    case Collective::kReduce: return communicator_.reduce(input, output, spec.root, spec.op);
    case Collective::kGather: return communicator_.gather(input, output, spec.root);
    case Collective::kScatter: return communicator_.scatter(input, output, spec.root);
    case Collective::kAllToAll: return communicator_.all_to_all(input, output);
    case Collective::kBarrier: return communicator_.barrier();
  }
}

Call Measurement::call_of(const CallSpec& spec) const {
  const auto [input, output] = buffers_of(spec);
  switch (spec.collective) {
    case Collective::kAllReduce:
      if (spec.in_place) return Call::all_reduce(output, spec.op);
      return Call::all_reduce(input, output, spec.op);
    case Collective::kAllGather: return Call::all_gather(input, output);
    case Collective::kReduceScatter: return Call::reduce_scatter(input, output, spec.op);
    case Collective::kBroadcast: return Call::broadcast(output, spec.root);
    case Collective::kReduce: return Call::reduce(input, output, spec.root, spec.op);
    case Collective::kGather: return Call::gather(input, output, spec.root);
    case Collective::kScatter: return Call::scatter(input, output, spec.root);
    case Collective::kAllToAll: return Call::all_to_all(input, output);
    case Collective::kBarrier: break;
  }
  return Call::barrier();
}

void Measurement::check(const CallSpec& spec) {
  const bool exact = communicator_.last_call().wire_format == "none";
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
