#pragma once

// One rank of a world whose devices' streams run late, and its part of calls: ranks of one host see
// each other's memory, as places of one process or as processes; others are joined by tcp.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/execute/device/device_runner.h"
#include "collectives/execute/host/waiter.h"
#include "collectives/schedule/host_layout.h"
#include "core/device/driver.h"
#include "tests/collectives/execute/device/built_in_call.h"
#include "transport/endpoint/transport.h"

namespace rondo::execute {

class LateRank {
 public:
  /// `inside`: how ranks of one host meet.
  LateRank(transport::TransportKind inside, schedule::SharedLayout layout, std::uint64_t job,
           int rank);

  int rank() const { return rank_; }
  /// A line of text.
  std::string addresses() const;
  /// `addresses` of all ranks. Failures are gtest's.
  void connect(const std::vector<std::string>& addresses);

  /// Gets ready for a call with memory and streams of `driver`, which stays until `leave`.
  Status bind(const BuiltInCall& call, device::DeviceDriver& driver,
              std::optional<DeviceWait> left_out = std::nullopt);
  struct Manner {
    bool in_place = false;
    bool in_stream = false;  ///< the input is written by a stream, which the call comes after
  };
  /// Its part of the call, and what it ends with. As soon as it is over all its memory is written
  /// over, as any program may do: who still reads it then reads that.
  Result<Floats> run(const BuiltInCall& call, const Manner& manner);
  void leave();

 private:
  transport::Endpoint* endpoint(int peer) const;
  bool is_near(int peer) const { return layout_->host_of(peer) == layout_->host_of(rank_); }
  std::vector<transport::PeerAddress> peers(bool near,
                                            const std::vector<std::string>& addresses) const;
  Result<std::shared_ptr<std::byte[]>> allocate(std::size_t bytes);
  Status run_behind(const std::function<Status()>& write, bool in_stream, std::byte* input,
                    std::byte* output);
  Status run_on(const Operands& operands);

  int rank_;
  schedule::SharedLayout layout_;
  std::unique_ptr<transport::Transport> near_;
  std::unique_ptr<transport::Transport> far_;
  std::unique_ptr<Waiter> waiter_;
  std::unique_ptr<DevicePlace> place_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Runner> runner_;
  std::uint64_t sequence_ = 0;
};

}  // namespace rondo::execute
