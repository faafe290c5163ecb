#pragma once

// One collective call's arguments, checked before anything is sent: what is wrong with them is the
// caller's own fault, and leaves the communicator usable.

#include <cstddef>
#include <cstdint>
#include <span>

#include "collectives/schedule/op.h"
#include "core/status.h"
#include "rondo/call.h"
#include "rondo/reduction.h"
#include "rondo/types.h"
#include "transport/endpoint/call.h"

namespace rondo::communicator {

/// Calls between two ranks are no collectives: `root` is the peer then.
using Exchange = Call::Exchange;

struct CallArguments {
  schedule::Collective collective = schedule::Collective::kBarrier;
  ConstBuffer input;
  Buffer output;
  Reduction reduction = ReduceOp::kSum;
  int root = 0;
  /// Ranks' parts have sizes of their own: those of the input and of the output that this rank
  /// knows, by rank; borrowed.
  bool uneven = false;
  /// What a split exchanges: to ranks that do something else it is called that.
  bool of_split = false;
  std::span<const std::size_t> input_counts{};
  std::span<const std::size_t> output_counts{};
  Exchange exchange = Exchange::kNone;
  int tag = 0;
  int timeout_ms = 0;  ///< 0: the communicator's
};

/// A collective as its caller gave it: of a call that is known nothing is copied.
/// (To copy in pairs of words what the caller has just written word by word is to wait until every
/// store under way has left the core.)
struct GivenCall {
  schedule::Collective collective = schedule::Collective::kBarrier;
  const ConstBuffer* input = nullptr;  ///< null: the output's memory
  const Buffer& output;
  const Reduction& reduction;
  int root = 0;
  /// As those of CallArguments; of gathers and scatters only those of the buffer with all parts.
  bool uneven = false;
  std::span<const std::size_t> input_counts{};
  std::span<const std::size_t> output_counts{};
};
CallArguments arguments_of(const GivenCall& call);

/// Without the buffer that a collective with a root doesn't use on this rank, whatever was passed.
CallArguments used_by(int rank, const CallArguments& arguments);
/// The same where they lie: what has just been written isn't copied (see GivenCall).
void keep_used(int rank, CallArguments& arguments);

/// Elements of the whole collective, as far as every rank knows them: what its rows are cut from
/// where they are even.
std::size_t total_count(const CallArguments& arguments, int world);

/// The same for a send or a receive. Errors: InvalidArgument (also memory of a device that is said
/// to be the host's), Unsupported (memory of a device).
Status check_exchange(const CallArguments& arguments, int world);

/// Errors: InvalidArgument, naming the argument, what was expected and what came.
Status check(const CallArguments& arguments, int rank, int world);

/// What must be equal on all ranks.
transport::Fingerprint fingerprint_of(const CallArguments& arguments, int world);
/// Whether calls of the two are the same but for their counts.
bool differ_in_counts_alone(const transport::Fingerprint& a, const transport::Fingerprint& b);

/// "all_reduce(count=1009, f32, sum)", "send(count=3, f32, to rank 2, tag 0)".
std::string describe(const CallArguments& arguments, int world);

/// "all_reduce(count=1009, f32, sum)".
std::string print_fingerprint(const transport::Fingerprint& fingerprint);

}  // namespace rondo::communicator
