#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rondo/collective.h"
#include "rondo/device.h"
#include "rondo/export.h"
#include "rondo/reduction.h"
#include "rondo/types.h"

namespace rondo {
inline namespace v1 {

/// One collective call as a value, for Communicator::start and Communicator::prepare. Each function
/// makes the call of Communicator that has its name: shapes, costs and errors are told there.
/// Buffers are borrowed until the call is done; counts are copied.
struct RONDO_API Call {
  static Call all_reduce(const Buffer& data, const Reduction& op = ReduceOp::kSum);
  static Call all_reduce(const ConstBuffer& input, const Buffer& output,
                         const Reduction& op = ReduceOp::kSum);
  static Call all_gather(const ConstBuffer& input, const Buffer& output);
  static Call reduce_scatter(const ConstBuffer& input, const Buffer& output,
                             const Reduction& op = ReduceOp::kSum);
  static Call broadcast(const Buffer& data, int root);
  static Call reduce(const ConstBuffer& input, const Buffer& output, int root,
                     const Reduction& op = ReduceOp::kSum);
  static Call gather(const ConstBuffer& input, const Buffer& output, int root);
  static Call scatter(const ConstBuffer& input, const Buffer& output, int root);
  static Call all_to_all(const ConstBuffer& input, const Buffer& output);
  static Call all_gather_v(const ConstBuffer& input, const Buffer& output,
                           std::vector<std::size_t> counts);
  static Call reduce_scatter_v(const ConstBuffer& input, const Buffer& output,
                               std::vector<std::size_t> counts,
                               const Reduction& op = ReduceOp::kSum);
  static Call gather_v(const ConstBuffer& input, const Buffer& output,
                       std::vector<std::size_t> counts, int root);
  static Call scatter_v(const ConstBuffer& input, const Buffer& output,
                        std::vector<std::size_t> counts, int root);
  static Call all_to_all_v(const ConstBuffer& input, std::vector<std::size_t> input_counts,
                           const Buffer& output, std::vector<std::size_t> output_counts);
  static Call barrier();
  static Call send(const ConstBuffer& data, int peer, int tag = 0);
  static Call receive(const Buffer& data, int peer, int tag = 0);

  /// The same call in the order of a stream of this place's device: it begins after all that the
  /// stream holds when it is started, and what the stream is given later begins after its end; if
  /// it fails, so does the stream. Communicator::start returns at once, and nobody has to wait for
  /// the Work. It returns at the call's end, and the stream doesn't fail with it, where the
  /// communicator's progress is "caller", and where streams can't wait for the host (those of the
  /// host itself, and of plug-ins). In a world of 1 it returns when the stream has come to it.
  /// A stream that is being captured in a CUDA graph, in whatever mode: see docs/devices.md. `send`
  /// and `receive` have no stream.
  Call on(const Stream& order) const;

  /// The same call with a deadline of its own instead of CommunicatorOptions::timeout_ms, at least
  /// 1: it fails with Timeout where nothing has moved for so long, and its communicator with it,
  /// but for a message of which nothing is under way (see Work::cancel). Ranks may differ.
  Call within(int limit_ms) const;

  /// A call between two ranks is no collective: `root` is its peer.
  enum class Exchange : std::uint8_t { kNone, kSend, kReceive };

  Collective collective = Collective::kBarrier;
  ConstBuffer input{};
  Buffer output{};
  Reduction op = ReduceOp::kSum;
  int root = 0;
  bool uneven = false;                       ///< ranks' parts have sizes of their own, below
  std::vector<std::size_t> input_counts{};   ///< by rank, in elements
  std::vector<std::size_t> output_counts{};  ///< by rank, in elements
  Exchange exchange = Exchange::kNone;
  int tag = 0;
  int timeout_ms = 0;  ///< 0: the communicator's
  std::optional<Stream> stream{};
};

}  // namespace v1
}  // namespace rondo
