#pragma once

// The socket on which a launcher speaks PMI-1: bytes out and in, each within a deadline. It is
// either inherited (PMI_FD), and then neither closed nor made non-blocking, for an MPI library in
// this process may use it too; or connected here (PMI_PORT), and then closed here.
// Threads: one at a time.

#include <sys/types.h>

#include <string>
#include <string_view>

#include "core/status.h"
#include "core/unique_fd.h"
#include "transport/rendezvous/pmi_endpoint.h"
#include "transport/rendezvous/store.h"

namespace rondo::rendezvous {

class PmiSocket {
 public:
  /// Errors: InvalidArgument (no socket, or no address), System, Timeout.
  static Result<PmiSocket> open(const PmiEndpoint& endpoint, Deadline deadline);

  /// Errors: Timeout, System (the other side has closed, ...).
  Status send(std::string_view bytes, Deadline deadline);
  /// Some bytes, at least one. Errors: as send.
  Result<std::string> receive(Deadline deadline);
  /// The descriptor is what it was: nobody has closed it, and no other file has got its number.
  bool is_unchanged() const;

 private:
  explicit PmiSocket(int fd);
  static Result<PmiSocket> borrow(int fd);
  static Result<PmiSocket> connect(const std::string& address, Deadline deadline);
  Status wait_until(short ready, Deadline deadline) const;

  int fd_ = -1;
  UniqueFd owned_;  ///< fd_, where it was connected here
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace rondo::rendezvous
