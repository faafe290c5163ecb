#pragma once

// A conversation in PMI-1: one question, one answer. Once broken it stays broken and says why, for
// an answer that comes too late would be taken for the next one. Every error names the launcher.
// Threads: one at a time.

#include <string>

#include "core/status.h"
#include "transport/rendezvous/pmi_endpoint.h"
#include "transport/rendezvous/pmi_message.h"
#include "transport/rendezvous/pmi_socket.h"
#include "transport/rendezvous/store.h"

namespace rondo::rendezvous {

class PmiLink {
 public:
  /// Errors: InvalidArgument (the endpoint), Timeout, System.
  static Result<PmiLink> open(const PmiEndpoint& endpoint, Deadline deadline);

  const std::string& launcher() const { return launcher_; }

  /// Says `request` and takes the answer of that name, whether it says yes or no.
  /// Errors: Timeout, System (the launcher is gone), DataLoss (anything but that answer).
  Result<PmiMessage> exchange(const PmiMessage& request, const char* answer, Deadline deadline);
  /// As exchange; System where the launcher says no.
  Result<PmiMessage> ask(const PmiMessage& request, const char* answer, Deadline deadline);
  /// The next message, where the launcher has more to say than an answer. Errors: as exchange.
  Result<PmiMessage> expect(const char* answer, Deadline deadline);
  /// Tells the launcher that this process is done with it; to be tried also where the link is
  /// broken. Does nothing where somebody else has closed the descriptor.
  void say_goodbye(Deadline deadline);

  /// The number that `answer` holds. Errors: DataLoss.
  Result<int> number(const PmiMessage& answer, const char* name, int least) const;
  /// "<the launcher> <what it does>"
  Status blame(ErrorCode code, const std::string& what) const;

 private:
  PmiLink(std::string launcher, PmiSocket socket);
  Result<PmiMessage> receive(Deadline deadline);
  Status break_off(const Status& reason, const char* answer);

  std::string launcher_;
  PmiSocket socket_;
  PmiReader reader_;
  Status broken_;
};

/// Answers without rc say yes by being there.
bool says_yes(const PmiMessage& answer);
/// "rc=1, msg=no" of an answer that says no.
std::string refusal(const PmiMessage& answer);

}  // namespace rondo::rendezvous
