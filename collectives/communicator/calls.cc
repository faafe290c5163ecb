// The calls of a Communicator, as its engine is asked for them.

#include <optional>
#include <utility>

#include "collectives/communicator/handle.h"
#include "collectives/communicator/prepared.h"
#include "core/device/stream.h"

namespace rondo {
namespace {

using communicator::CallArguments;
using communicator::Engine;
using communicator::GivenCall;

/// Of calls that have none; constant, so that they lie in memory that isn't written.
const Buffer kNoBuffer;
constexpr Reduction kNoReduction = ReduceOp::kSum;

CallArguments message(Call::Exchange direction, const ConstBuffer& input, const Buffer& output,
                      int peer, int tag) {
  return {.input = input, .output = output, .root = peer, .exchange = direction, .tag = tag};
}

CallArguments arguments_of(const Call& call, int rank) {
  CallArguments arguments{.collective = call.collective,
                          .input = call.input,
                          .output = call.output,
                          .reduction = call.op,
                          .root = call.root,
                          .uneven = call.uneven,
                          .input_counts = call.input_counts,
                          .output_counts = call.output_counts,
                          .exchange = call.exchange,
                          .tag = call.tag,
                          .timeout_ms = call.timeout_ms};
  communicator::keep_used(rank, arguments);
  return arguments;
}

/// Whether it is all that a GivenCall can say.
bool is_plain(const Call& call) {
  const bool has_counts = !call.input_counts.empty() || !call.output_counts.empty();
  return call.exchange == Call::Exchange::kNone && call.timeout_ms == 0 &&
         (call.uneven || !has_counts);
}

}  // namespace

inline namespace v1 {

void Communicator::all_reduce(const Buffer& data, const Reduction& op) {
  throw_if_error(alive(impl_).engine().call(
      GivenCall{.collective = Collective::kAllReduce, .output = data, .reduction = op}));
}

void Communicator::all_reduce(const ConstBuffer& input, const Buffer& output, const Reduction& op) {
  throw_if_error(alive(impl_).engine().call(GivenCall{
      .collective = Collective::kAllReduce, .input = &input, .output = output, .reduction = op}));
}

void Communicator::all_gather(const ConstBuffer& input, const Buffer& output) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kAllGather,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = kNoReduction}));
}

void Communicator::reduce_scatter(const ConstBuffer& input, const Buffer& output,
                                  const Reduction& op) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kReduceScatter,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = op}));
}

void Communicator::broadcast(const Buffer& data, int root) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kBroadcast,
                                                      .output = data,
                                                      .reduction = kNoReduction,
                                                      .root = root}));
}

void Communicator::reduce(const ConstBuffer& input, const Buffer& output, int root,
                          const Reduction& op) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kReduce,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = op,
                                                      .root = root}));
}

void Communicator::gather(const ConstBuffer& input, const Buffer& output, int root) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kGather,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = kNoReduction,
                                                      .root = root}));
}

void Communicator::scatter(const ConstBuffer& input, const Buffer& output, int root) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kScatter,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = kNoReduction,
                                                      .root = root}));
}

void Communicator::all_to_all(const ConstBuffer& input, const Buffer& output) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kAllToAll,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = kNoReduction}));
}

void Communicator::all_gather_v(const ConstBuffer& input, const Buffer& output,
                                std::span<const std::size_t> counts) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kAllGather,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = kNoReduction,
                                                      .uneven = true,
                                                      .output_counts = counts}));
}

void Communicator::reduce_scatter_v(const ConstBuffer& input, const Buffer& output,
                                    std::span<const std::size_t> counts, const Reduction& op) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kReduceScatter,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = op,
                                                      .uneven = true,
                                                      .input_counts = counts}));
}

void Communicator::gather_v(const ConstBuffer& input, const Buffer& output,
                            std::span<const std::size_t> counts, int root) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kGather,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = kNoReduction,
                                                      .root = root,
                                                      .uneven = true,
                                                      .output_counts = counts}));
}

void Communicator::scatter_v(const ConstBuffer& input, const Buffer& output,
                             std::span<const std::size_t> counts, int root) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kScatter,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = kNoReduction,
                                                      .root = root,
                                                      .uneven = true,
                                                      .input_counts = counts}));
}

void Communicator::all_to_all_v(const ConstBuffer& input, std::span<const std::size_t> input_counts,
                                const Buffer& output, std::span<const std::size_t> output_counts) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kAllToAll,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = kNoReduction,
                                                      .uneven = true,
                                                      .input_counts = input_counts,
                                                      .output_counts = output_counts}));
}

void Communicator::barrier() {
  throw_if_error(
      alive(impl_).engine().call(GivenCall{.output = kNoBuffer, .reduction = kNoReduction}));
}

void Communicator::send(const ConstBuffer& data, int peer, int tag) {
  throw_if_error(
      alive(impl_).engine().call(message(Call::Exchange::kSend, data, kNoBuffer, peer, tag)));
}

void Communicator::receive(const Buffer& data, int peer, int tag) {
  throw_if_error(
      alive(impl_).engine().call(message(Call::Exchange::kReceive, kNoBuffer, data, peer, tag)));
}

void Communicator::run(const Call& call) {
  if (call.stream.has_value()) return start(call).wait();
  Engine& engine = alive(impl_).engine();
  if (!is_plain(call)) return throw_if_error(engine.call(arguments_of(call, rank())));
  throw_if_error(engine.call(GivenCall{.collective = call.collective,
                                       .input = &call.input,
                                       .output = call.output,
                                       .reduction = call.op,
                                       .root = call.root,
                                       .uneven = call.uneven,
                                       .input_counts = call.input_counts,
                                       .output_counts = call.output_counts}));
}

Work Communicator::start(const Call& call) {
  Engine& engine = alive(impl_).engine();
  std::optional<Stream> stream = call.stream;
  detail::StreamImpl* const order = stream ? &detail::DeviceAccess::stream(*stream) : nullptr;
  return {alive(impl_).shared(),
          value_or_throw(engine.start(arguments_of(call, rank()), nullptr, order))};
}

Prepared Communicator::prepare(const Call& call) {
  auto prepared = std::make_unique<Prepared::Impl>(alive(impl_).shared(), call);
  prepared->arguments = arguments_of(prepared->call, rank());
  prepared->plan =
      value_or_throw(alive(impl_).engine().prepare(prepared->arguments, prepared->stream()));
  return Prepared(std::move(prepared));
}

}  // namespace v1
}  // namespace rondo
