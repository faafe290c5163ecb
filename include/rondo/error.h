#pragma once

#include <stdexcept>
#include <string>

#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

/// What went wrong, grouped by what the reader of the error has to do about it.
enum class ErrorCode {
  kOk = 0,
  kInvalidArgument,  ///< fix the call (or the file, or the flag)
  kMismatch,         ///< ranks disagree about a call: make them agree
  kTimeout,          ///< a deadline passed; the message names who was waited for
  kPeerLost,         ///< a peer is gone: rebuild the communicator without it
  kUnsupported,      ///< this build or machine can't do it
  kDataLoss,         ///< a file or a message is damaged
  kSystem,           ///< the operating system refused; the message carries errno's text
  kDevice,           ///< a device or its driver refused
  kInternal,         ///< our bug: please report it
  kCancelled,        ///< a call was given up: by Work::cancel, or by its communicator's end
};

/// The code's name as it is printed, for example "PeerLost".
RONDO_API const char* to_string(ErrorCode code);

/// No rank is to blame (Error::culprit).
inline constexpr int kNoCulprit = -1;

/// What the C++ API throws: by blocking calls and by `wait`, and by constructors. `what()` is
/// "Code: message [where]".
class RONDO_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, int culprit = kNoCulprit,
        std::string where = {});

  ErrorCode code() const noexcept { return code_; }
  /// What went wrong, alone.
  const std::string& message() const noexcept { return message_; }
  /// The rank whose fault it is, or kNoCulprit.
  int culprit() const noexcept { return culprit_; }
  /// Where it happened, for example "rank 3, lane 0, op 17/28 recv_reduce <- rank 2, chunk 5".
  const std::string& where() const noexcept { return where_; }

 private:
  ErrorCode code_;
  std::string message_;
  int culprit_;
  std::string where_;
};

}  // namespace v1
}  // namespace rondo
