#pragma once

// Which calls of a place use the wire format that was asked for: a function of what all ranks hold
// equal. Where no two ranks talk over tcp, none does.
// Threads: any.

#include "collectives/algorithms/registry.h"
#include "collectives/communicator/call_arguments.h"
#include "collectives/execute/host/plan.h"
#include "collectives/kernels/wire_format.h"
#include "rondo/communicator.h"
#include "rondo/device.h"
#include "transport/mesh/mesh.h"

namespace rondo::communicator {

class WireChoice {
 public:
  /// `options` have been resolved.
  WireChoice(const CommunicatorOptions& options, const transport::Mesh& mesh, Device device);

  /// Whether an algorithm isn't chosen for a call whose losses are to be made up for in the next:
  /// what several ranks sum alike each of them would have to make up for alike, and one whose
  /// buffer is another than before can't (recursive_doubling, execute::Feedback::kContributions);
  /// nor, where it would send a long call unencoded, one_shot in its place. Equal on all ranks.
  bool is_left_out(const algorithms::Algorithm& algorithm, const CallArguments& arguments) const;
  /// Fills in the inputs' wire format, peers and feedback where the call uses it.
  void apply(const algorithms::Algorithm& algorithm, const CallArguments& arguments,
             execute::PlanInputs& inputs) const;

 private:
  bool is_used(const algorithms::Algorithm& algorithm, const CallArguments& arguments) const;

  const transport::Mesh& mesh_;
  kernels::WireFormat format_ = kernels::WireFormat::kNone;
  bool wants_feedback_ = false;  ///< equal on all ranks
  bool feedback_ = false;        ///< of this one
};

}  // namespace rondo::communicator
