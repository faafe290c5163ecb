#pragma once

// Runs collectives by the devices' library: whole ones, or ours by its messages (library_work.h).
// The hosts tell each other what they call while the devices are at it already: a mismatch, a rank
// that fails or one that is gone ends the call of every rank within the deadline, though the
// library itself would wait for good.
//
// In worlds of up to kMostIntroduced every rank tells every other, so that a late one is named;
// beyond, neighbours tell each other, and what one of them learns ends all the others' calls.
// Where parts have sizes of their own these are compared before the library is asked for anything,
// which would hang or write past the end.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/execute/device/callers_turn.h"
#include "collectives/execute/device/device_event.h"
#include "collectives/execute/device/device_place.h"
#include "collectives/execute/device/exchange.h"
#include "collectives/execute/host/drive.h"
#include "collectives/execute/library/library_member.h"
#include "collectives/execute/library/library_work.h"
#include "core/clock.h"
#include "core/status.h"

namespace rondo::execute {

class LibraryRunner final : public Runner {
 public:
  static constexpr int kMostIntroduced = 16;

  /// `endpoints` by rank, null for this one. What is passed is borrowed. `compares_sizes`: those of
  /// messages, before anything is done; the same on all ranks. Errors: Device, System.
  static Result<std::unique_ptr<Runner>> make(std::unique_ptr<LibraryWork> work,
                                              LibraryMember& member, DevicePlace& place,
                                              std::span<transport::Endpoint* const> endpoints,
                                              bool compares_sizes);

 private:
  enum class Phase : std::uint8_t { kJoining, kIssuing, kRunning, kParting, kFinished };

  /// What ranks tell each other of a call.
  struct Introduction {
    std::uint64_t count_for_you = 0;
    std::uint32_t captured = 0;
    std::uint32_t unused = 0;
  };
  struct Peer {
    transport::Endpoint* endpoint = nullptr;
    Introduction mine{};
    Introduction theirs{};
    std::uint32_t their_end = 0;
    Exchange meeting{};
    Exchange parting{};
    bool compared = false;  ///< `theirs` with what this rank knows
  };

  LibraryRunner(std::unique_ptr<LibraryWork> work, LibraryMember& member, DevicePlace& place);
  void begin(const transport::Call& call, const Operands& operands) override;
  Status begin_call();
  Status end(Status status, int rank) override;
  Result<bool> step() override;
  bool finished() const override { return phase_ == Phase::kFinished; }
  int waits_for() const override;
  void arm(const std::shared_ptr<Bell>& bell) override;
  bool waits_for_caller() const override { return turn_.is_to_come(); }
  /// Joining allocates and waits, which has no place in a graph.
  bool can_be_captured() const override { return member_.joined(); }
  std::span<transport::Endpoint* const> peers() const override { return endpoints_; }

  Result<bool> hear_peers();
  Status compare(const Peer& peer) const;
  bool met() const;
  Result<bool> go_on();
  Result<bool> join();
  Result<bool> begin_work();
  Result<bool> issue_next();
  detail::StreamImpl& stream() const {
    return operands_.capture != nullptr ? *operands_.capture : *stream_;
  }
  Result<bool> see_issued();
  Result<bool> see_done();
  Result<bool> part();
  Status or_cause(Status status);
  Status described(Status status, int rank) const;

  std::unique_ptr<LibraryWork> work_;
  LibraryMember& member_;
  DevicePlace& place_;
  bool compares_sizes_ = false;
  detail::StreamImpl* stream_ = nullptr;
  transport::Endpoint* previous_ = nullptr;
  transport::Endpoint* next_ = nullptr;
  std::vector<transport::Endpoint*> endpoints_;  ///< those of `peers_`
  std::vector<transport::Endpoint*> everyone_;   ///< to be told of an error
  std::vector<Peer> peers_;
  std::optional<DeviceEvent> last_;
  std::shared_ptr<void> may_wait_;  ///< puts off frees until the library's work has ended
  Operands operands_{};
  CallersTurn turn_;
  std::uint32_t own_end_ = 1;
  Status failure_;  ///< of begin, which can't tell
  Status failed_;   ///< here; an endpoint may yet tell why
  Instant failed_at_{};
  Phase phase_ = Phase::kFinished;
};

}  // namespace rondo::execute
