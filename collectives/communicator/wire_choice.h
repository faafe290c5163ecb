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

  /// Fills in the inputs' wire format, peers and feedback where the call uses it.
  void apply(const algorithms::Algorithm& algorithm, const CallArguments& arguments,
             execute::PlanInputs& inputs) const;

 private:
  const transport::Mesh& mesh_;
  kernels::WireFormat format_ = kernels::WireFormat::kNone;
  bool feedback_ = false;
};

}  // namespace rondo::communicator
