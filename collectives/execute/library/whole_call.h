#pragma once

// One collective as the devices' library is asked for it, whole.

#include <utility>

#include "collectives/execute/library/library_call.h"
#include "collectives/execute/library/library_work.h"

namespace rondo::execute {

class WholeCall final : public LibraryWork {
 public:
  explicit WholeCall(LibraryCall call) : call_(std::move(call)) {}

  int rank() const override { return call_.rank; }
  /// Parts that all ranks know are compared with the call itself (its fingerprint).
  std::size_t sent_to(int peer) const override { return of(call_.sends, peer); }
  std::size_t received_from(int peer) const override { return of(call_.receives, peer); }

  void begin(const std::byte* input, std::byte* output) override {
    input_ = input;
    output_ = output;
    issued_ = false;
  }
  Result<bool> issue(device::LibraryCommunicator& communicator,
                     detail::StreamImpl& stream) override {
    if (std::exchange(issued_, true)) return false;
    RONDO_TRY(execute::issue(communicator, call_, input_, output_, stream));
    return true;
  }

 private:
  static std::size_t of(const std::vector<std::size_t>& counts, int peer) {
    return counts.empty() ? 0 : counts[static_cast<std::size_t>(peer)];
  }

  LibraryCall call_;
  const std::byte* input_ = nullptr;
  std::byte* output_ = nullptr;
  bool issued_ = false;
};

}  // namespace rondo::execute
