// C's calls that are values, run at once: by C++'s function of that name where it takes all that
// the struct says, so that nothing is copied or kept; else as a value of C++'s.

#include <cstddef>
#include <span>
#include <utility>

#include "bindings/c/convert.h"
#include "bindings/c/guard.h"
#include "bindings/c/handles.h"
#include "bindings/c/read_call.h"
#include "bindings/c/spares.h"

namespace {

using rondo::Buffer;
using rondo::Communicator;
using rondo::ConstBuffer;
using rondo::c::check_op;
using rondo::c::checked;
using rondo::c::guarded;
using rondo::c::number_of;
using rondo::c::ReadCall;
using rondo::c::reduction_of;
using rondo::c::Spares;

/// Of equal parts, or a message. False: there is no function of that kind.
bool run_even(Communicator& own, const rondo_call& call, const ConstBuffer& input,
              const Buffer& output) {
  switch (number_of(call.kind)) {
    case RONDO_ALL_REDUCE: own.all_reduce(input, output, reduction_of(call)); break;
    case RONDO_ALL_GATHER: own.all_gather(input, output); break;
    case RONDO_REDUCE_SCATTER: own.reduce_scatter(input, output, reduction_of(call)); break;
    case RONDO_BROADCAST: own.broadcast(output, call.root); break;
    case RONDO_REDUCE: own.reduce(input, output, call.root, reduction_of(call)); break;
    case RONDO_GATHER: own.gather(input, output, call.root); break;
    case RONDO_SCATTER: own.scatter(input, output, call.root); break;
    case RONDO_ALL_TO_ALL: own.all_to_all(input, output); break;
    case RONDO_BARRIER: own.barrier(); break;
    case RONDO_SEND: own.send(input, call.root, call.tag); break;
    case RONDO_RECEIVE: own.receive(output, call.root, call.tag); break;
    default: return false;
  }
  return true;
}

/// Of parts with sizes of their own. False: there is no function of that kind, or it has no place
/// for these counts.
bool run_uneven(Communicator& own, const rondo_call& call, const ConstBuffer& input,
                const Buffer& output) {
  const auto ranks = static_cast<std::size_t>(own.size());
  const auto counts = [ranks](const std::size_t* first) { return std::span(first, ranks); };
  const std::size_t* const in = call.input_counts;
  const std::size_t* const out = call.output_counts;
  switch (number_of(call.kind)) {
    case RONDO_ALL_GATHER:
      if (in != nullptr) return false;
      own.all_gather_v(input, output, counts(out));
      break;
    case RONDO_REDUCE_SCATTER:
      if (out != nullptr) return false;
      own.reduce_scatter_v(input, output, counts(in), reduction_of(call));
      break;
    case RONDO_GATHER:
      if (in != nullptr) return false;
      own.gather_v(input, output, counts(out), call.root);
      break;
    case RONDO_SCATTER:
      if (out != nullptr) return false;
      own.scatter_v(input, output, counts(in), call.root);
      break;
    case RONDO_ALL_TO_ALL:
      if (in == nullptr || out == nullptr) return false;
      own.all_to_all_v(input, counts(in), output, counts(out));
      break;
    default: return false;
  }
  return true;
}

/// False: the call says what no function takes, or nothing that is right.
bool run_by_function(rondo_communicator& handle, const rondo_call* call) {
  if (call == nullptr || call->size != sizeof(rondo_call)) return false;
  if (call->timeout_ms != 0 || call->stream != nullptr) return false;
  const rondo::DataType type = rondo::c::type_of(call->type, "rondo_call.type");
  check_op(*call);
  const ConstBuffer input(call->input, call->input_count, type, handle.device);
  const Buffer output(call->output, call->output_count, type, handle.device);
  const bool even = call->input_counts == nullptr && call->output_counts == nullptr;
  return even ? run_even(handle.communicator, *call, input, output)
              : run_uneven(handle.communicator, *call, input, output);
}

}  // namespace

extern "C" rondo_status rondo_run(rondo_communicator* communicator, const rondo_call* call) {
  return guarded([&] {
    rondo_communicator& handle = checked(communicator, "communicator");
    if (run_by_function(handle, call)) return;
    auto read = Spares<ReadCall>::take();
    handle.communicator.run(read->read(call, handle.communicator, handle.device));
    read->let_go();
    Spares<ReadCall>::keep(std::move(read));
  });
}
