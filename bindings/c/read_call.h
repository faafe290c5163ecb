#pragma once

// C's calls as C++ has them, in memory that is used again: a loop that starts the same call over
// and over has it read once.

#include "rondo/call.h"
#include "rondo/communicator.h"
#include "rondo/rondo.h"

namespace rondo::c {

class ReadCall {
 public:
  /// Of buffers that lie on `device`, until the next one is read. Errors: InvalidArgument, naming
  /// the field, what is allowed and what came.
  const Call& read(const rondo_call* given, const Communicator& rank, Device device);
  /// Of what it has read it keeps nothing alive: a stream ends where its program gives it back.
  void let_go() { call_.stream.reset(); }

 private:
  void read_all(const rondo_call& given, const Communicator& rank, Device device);
  void read_message(const rondo_call& given, DataType type, Device device);

  Call call_;
  rondo_call given_{};  ///< all that call_ was read from; of no size: it is more than a struct
  Device device_;       ///< likewise
};

}  // namespace rondo::c
