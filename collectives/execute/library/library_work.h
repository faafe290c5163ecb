#pragma once

// What a call asks the devices' library for: one collective whole (whole_call.h), or the messages
// of one of our schedules, round by round (schedule_work.h). LibraryRunner asks for one part after
// the other; that the ranks meet, and what becomes of them, is its business.
// Threads: those of the place; one at a time.

#include <cstddef>

#include "core/device/collective_library.h"
#include "core/device/stream.h"
#include "core/status.h"

namespace rondo::execute {

class LibraryWork {
 public:
  virtual ~LibraryWork() = default;

  virtual int rank() const = 0;
  /// What goes to `peer` and comes from it: elements, where ranks have to compare them before
  /// anything is done; else 0.
  virtual std::size_t sent_to(int peer) const = 0;
  virtual std::size_t received_from(int peer) const = 0;

  /// A call on these buffers begins.
  virtual void begin(const std::byte* input, std::byte* output) = 0;
  /// Puts the call's next part into the stream, or begins to (LibraryCommunicator::ready, which has
  /// to be true before the next); false if there is none. Errors: Device.
  virtual Result<bool> issue(device::LibraryCommunicator& communicator,
                             detail::StreamImpl& stream) = 0;
};

/// What `ask_for_parts` asks for in a group. It is ended also where one of its parts has failed:
/// libraries count groups by thread.
template <class Parts>
Status in_group(device::LibraryCommunicator& communicator, const Parts& ask_for_parts) {
  RONDO_TRY(communicator.begin_group());
  Status asked = ask_for_parts();
  Status ended = communicator.end_group();
  return asked.ok() ? ended : asked;
}

}  // namespace rondo::execute
