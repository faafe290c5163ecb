#include "rondo/call.h"

#include <fmt/format.h>

#include <utility>

#include "rondo/error.h"

namespace rondo {
inline namespace v1 {
namespace {

Call with_parts(Call call, std::vector<std::size_t> input_counts,
                std::vector<std::size_t> output_counts) {
  call.uneven = true;
  call.input_counts = std::move(input_counts);
  call.output_counts = std::move(output_counts);
  return call;
}

}  // namespace

Call Call::all_reduce(const Buffer& data, const Reduction& op) {
  return all_reduce(data, data, op);
}

Call Call::all_reduce(const ConstBuffer& input, const Buffer& output, const Reduction& op) {
  return {.collective = Collective::kAllReduce, .input = input, .output = output, .op = op};
}

Call Call::all_gather(const ConstBuffer& input, const Buffer& output) {
  return {.collective = Collective::kAllGather, .input = input, .output = output};
}

Call Call::reduce_scatter(const ConstBuffer& input, const Buffer& output, const Reduction& op) {
  return {.collective = Collective::kReduceScatter, .input = input, .output = output, .op = op};
}

Call Call::broadcast(const Buffer& data, int root) {
  return {.collective = Collective::kBroadcast, .input = data, .output = data, .root = root};
}

Call Call::reduce(const ConstBuffer& input, const Buffer& output, int root, const Reduction& op) {
  return {
      .collective = Collective::kReduce, .input = input, .output = output, .op = op, .root = root};
}

Call Call::gather(const ConstBuffer& input, const Buffer& output, int root) {
  return {.collective = Collective::kGather, .input = input, .output = output, .root = root};
}

Call Call::scatter(const ConstBuffer& input, const Buffer& output, int root) {
  return {.collective = Collective::kScatter, .input = input, .output = output, .root = root};
}

Call Call::all_to_all(const ConstBuffer& input, const Buffer& output) {
  return {.collective = Collective::kAllToAll, .input = input, .output = output};
}

Call Call::all_gather_v(const ConstBuffer& input, const Buffer& output,
                        std::vector<std::size_t> counts) {
  return with_parts(all_gather(input, output), {}, std::move(counts));
}

Call Call::reduce_scatter_v(const ConstBuffer& input, const Buffer& output,
                            std::vector<std::size_t> counts, const Reduction& op) {
  return with_parts(reduce_scatter(input, output, op), std::move(counts), {});
}

Call Call::gather_v(const ConstBuffer& input, const Buffer& output, std::vector<std::size_t> counts,
                    int root) {
  return with_parts(gather(input, output, root), {}, std::move(counts));
}

Call Call::scatter_v(const ConstBuffer& input, const Buffer& output,
                     std::vector<std::size_t> counts, int root) {
  return with_parts(scatter(input, output, root), std::move(counts), {});
}

Call Call::all_to_all_v(const ConstBuffer& input, std::vector<std::size_t> input_counts,
                        const Buffer& output, std::vector<std::size_t> output_counts) {
  return with_parts(all_to_all(input, output), std::move(input_counts), std::move(output_counts));
}

Call Call::barrier() { return {}; }

Call Call::on(const Stream& order) const {
  Call call = *this;
  call.stream = order;
  return call;
}

Call Call::within(int limit_ms) const {
  if (limit_ms < 1) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("Call::within: expected at least 1 ms, got {}", limit_ms));
  }
  Call call = *this;
  call.timeout_ms = limit_ms;
  return call;
}

Call Call::send(const ConstBuffer& data, int peer, int tag) {
  return {.input = data, .root = peer, .exchange = Exchange::kSend, .tag = tag};
}

Call Call::receive(const Buffer& data, int peer, int tag) {
  return {.output = data, .root = peer, .exchange = Exchange::kReceive, .tag = tag};
}

}  // namespace v1
}  // namespace rondo
