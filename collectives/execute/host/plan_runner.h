#pragma once

// Runs a plan: steps its lanes and pumps its channels' sends.

#include <string>
#include <vector>

#include "collectives/execute/host/drive.h"
#include "collectives/execute/host/lane_runner.h"
#include "collectives/execute/host/plan.h"
#include "collectives/execute/host/residuals.h"
#include "collectives/execute/host/send_queue.h"

namespace rondo::execute {

class PlanRunner final : public Runner {
 public:
  explicit PlanRunner(const Plan& plan);

 private:
  void begin(const transport::Call& call, const Operands& operands) override;
  Status end(Status status, int rank) override;
  Result<bool> step() override;
  bool finished() const override;
  int waits_for() const override;
  std::span<transport::Endpoint* const> peers() const override { return plan_.endpoints(); }
  Status verdict() const;
  Result<bool> help() const;
  std::string where(int rank) const;

  const Plan& plan_;
  std::vector<LaneRunner> lanes_;
  std::vector<SendQueue> senders_;
  Residuals residuals_;
  trace::CallTimer* timer_ = nullptr;
};

}  // namespace rondo::execute
