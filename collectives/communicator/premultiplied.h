#pragma once

// The first half of a premultiplied sum: this rank's input times its factor, in a copy of its own.
// The second half is any plan of a sum, out of place; so the factor is applied once, whatever the
// algorithm, and also where input and output are the same memory. (A sweep that reads the input
// could multiply on its way; what is sent as it lies could not, and rounds 16-bit floats once
// more: ranks that compute the same sum would differ.)

#include "collectives/communicator/call_arguments.h"
#include "collectives/communicator/growing_memory.h"
#include "core/status.h"

namespace rondo::communicator {

class Premultiplied {
 public:
  static bool needed(const CallArguments& arguments) {
    return arguments.reduction.kind() == Reduction::Kind::kPremultipliedSum;
  }
  /// The same call on the copy, which is valid until the next. The input lies on the host; the type
  /// is one of floats. Errors: System.
  Result<CallArguments> multiply(const CallArguments& arguments);
  /// From input to output: all that is left to do in a world of 1.
  static void multiply_alone(const CallArguments& arguments);

 private:
  GrowingMemory memory_;
};

}  // namespace rondo::communicator
