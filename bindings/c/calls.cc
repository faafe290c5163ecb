// C's blocking calls.

#include "bindings/c/convert.h"
#include "bindings/c/guard.h"
#include "bindings/c/handles.h"

using rondo::Buffer;
using rondo::ConstBuffer;
using rondo::c::checked;
using rondo::c::guarded;
using rondo::c::reduction_of;
using rondo::c::type_of;

namespace {

std::size_t times(std::size_t count, const rondo::Communicator& communicator) {
  return count * static_cast<std::size_t>(communicator.size());
}

}  // namespace

extern "C" {

rondo_status rondo_all_reduce(rondo_communicator* communicator, const void* input, void* output,
                              size_t count, rondo_type type, rondo_op op) {
  return guarded([&] {
    auto& [word, own, device] = checked(communicator, "communicator");
    own.all_reduce(ConstBuffer(input, count, type_of(type), device),
                   Buffer(output, count, type_of(type), device), reduction_of(op));
  });
}

rondo_status rondo_all_gather(rondo_communicator* communicator, const void* input, void* output,
                              size_t input_count, rondo_type type) {
  return guarded([&] {
    auto& [word, own, device] = checked(communicator, "communicator");
    own.all_gather(ConstBuffer(input, input_count, type_of(type), device),
                   Buffer(output, times(input_count, own), type_of(type), device));
  });
}

rondo_status rondo_reduce_scatter(rondo_communicator* communicator, const void* input, void* output,
                                  size_t output_count, rondo_type type, rondo_op op) {
  return guarded([&] {
    auto& [word, own, device] = checked(communicator, "communicator");
    own.reduce_scatter(ConstBuffer(input, times(output_count, own), type_of(type), device),
                       Buffer(output, output_count, type_of(type), device), reduction_of(op));
  });
}

rondo_status rondo_broadcast(rondo_communicator* communicator, void* data, size_t count,
                             rondo_type type, int root) {
  return guarded([&] {
    auto& [word, own, device] = checked(communicator, "communicator");
    own.broadcast(Buffer(data, count, type_of(type), device), root);
  });
}

rondo_status rondo_reduce(rondo_communicator* communicator, const void* input, void* output,
                          size_t count, rondo_type type, rondo_op op, int root) {
  return guarded([&] {
    auto& [word, own, device] = checked(communicator, "communicator");
    own.reduce(ConstBuffer(input, count, type_of(type), device),
               Buffer(output, count, type_of(type), device), root, reduction_of(op));
  });
}

rondo_status rondo_gather(rondo_communicator* communicator, const void* input, void* output,
                          size_t input_count, rondo_type type, int root) {
  return guarded([&] {
    auto& [word, own, device] = checked(communicator, "communicator");
    own.gather(ConstBuffer(input, input_count, type_of(type), device),
               Buffer(output, times(input_count, own), type_of(type), device), root);
  });
}

rondo_status rondo_scatter(rondo_communicator* communicator, const void* input, void* output,
                           size_t output_count, rondo_type type, int root) {
  return guarded([&] {
    auto& [word, own, device] = checked(communicator, "communicator");
    own.scatter(ConstBuffer(input, times(output_count, own), type_of(type), device),
                Buffer(output, output_count, type_of(type), device), root);
  });
}

rondo_status rondo_all_to_all(rondo_communicator* communicator, const void* input, void* output,
                              size_t count, rondo_type type) {
  return guarded([&] {
    auto& [word, own, device] = checked(communicator, "communicator");
    own.all_to_all(ConstBuffer(input, count, type_of(type), device),
                   Buffer(output, count, type_of(type), device));
  });
}

rondo_status rondo_barrier(rondo_communicator* communicator) {
  return guarded([&] { checked(communicator, "communicator").communicator.barrier(); });
}

rondo_status rondo_send(rondo_communicator* communicator, const void* data, size_t count,
                        rondo_type type, int peer, int tag) {
  return guarded([&] {
    auto& [word, own, device] = checked(communicator, "communicator");
    own.send(ConstBuffer(data, count, type_of(type), device), peer, tag);
  });
}

rondo_status rondo_receive(rondo_communicator* communicator, void* data, size_t count,
                           rondo_type type, int peer, int tag) {
  return guarded([&] {
    auto& [word, own, device] = checked(communicator, "communicator");
    own.receive(Buffer(data, count, type_of(type), device), peer, tag);
  });
}

}  // extern "C"
