#include "collectives/communicator/premultiplied.h"

#include "collectives/kernels/scale.h"

namespace rondo::communicator {
namespace {

void multiply_to(void* target, const CallArguments& arguments) {
  const ConstBuffer& input = arguments.input;
  kernels::find_scale_kernel(input.dtype)(input.pointer, target, input.count,
                                          arguments.reduction.factor());
}

}  // namespace

Result<CallArguments> Premultiplied::multiply(const CallArguments& arguments) {
  const std::size_t bytes = arguments.input.count * size_of(arguments.input.dtype);
  RONDO_ASSIGN(std::byte* const copy, memory_.at_least(bytes));
  multiply_to(copy, arguments);
  CallArguments multiplied = arguments;
  multiplied.input.pointer = copy;
  return multiplied;
}

void Premultiplied::multiply_alone(const CallArguments& arguments) {
  multiply_to(arguments.output.pointer, arguments);
}

}  // namespace rondo::communicator
