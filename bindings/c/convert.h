#pragma once

// C's values as C++'s, checked. All throw InvalidArgument, naming the field, what is allowed and
// what came.

#include "rondo/call.h"
#include "rondo/communicator.h"
#include "rondo/rondo.h"

namespace rondo::c {

DataType type_of(rondo_type type);
Collective collective_of(rondo_kind kind);
Reduction reduction_of(rondo_op op);

/// Null: all defaults.
CommunicatorOptions options_of(const rondo_config* config);
Device device_of(const rondo_config* config);

/// Of a communicator of `size` ranks whose buffers lie on `device`.
Call call_of(const rondo_call* call, int size, Device device);

/// A struct that the caller has filled in: its own idea of its size. What is larger has fields that
/// this library doesn't know; where they are zero they ask for nothing.
void check_size(std::size_t size, std::size_t own, const void* begin, const char* what);

}  // namespace rondo::c
