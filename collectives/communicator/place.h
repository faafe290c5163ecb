#pragma once

// What stands behind one Communicator handle: one place's mesh, its plans, and the one path that
// every collective takes: check, find or make the plan, run it, and on an error tell the peers.
// Threads: one at a time.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/communicator/call_arguments.h"
#include "collectives/communicator/plan_cache.h"
#include "collectives/communicator/staging.h"
#include "collectives/execute/host/waiter.h"
#include "collectives/select/select.h"
#include "core/status.h"
#include "rondo/communicator.h"
#include "transport/mesh/mesh.h"

namespace rondo::communicator {

class Place {
 public:
  /// Errors: System, InvalidArgument (a forced algorithm that doesn't exist).
  /// `cpu_quota` is what the control groups allow, in cores; nothing: no limit.
  static Result<std::unique_ptr<Place>> make(std::unique_ptr<transport::Mesh> mesh,
                                             const CommunicatorOptions& options, Device device,
                                             std::optional<double> cpu_quota);

  ~Place();

  int rank() const { return mesh_->rank(); }
  int size() const { return mesh_->size(); }
  Device device() const { return device_; }

  Status call(const CallArguments& arguments);
  /// Tells all peers why this rank gives up; nothing where it has failed already.
  void abort(const Status& cause);
  CallInfo last_call() const { return last_call_; }
  std::vector<PeerTraffic> traffic() const;

 private:
  Place(std::unique_ptr<transport::Mesh> mesh, const CommunicatorOptions& options, Device device);
  Status run(const CallArguments& arguments);
  Status run_alone(const CallArguments& arguments);
  void compare_last_call() const;
  Result<PreparedPlan*> plan_for(const CallArguments& arguments, const transport::Fingerprint& key);
  Result<PreparedPlan> prepare(const CallArguments& arguments);
  Result<std::unique_ptr<execute::Runner>> one_shot_runner(
      const CallArguments& arguments, std::vector<transport::Endpoint*> endpoints) const;
  Result<execute::PlanInputs> plan_inputs(const algorithms::Algorithm& algorithm,
                                          const CallArguments& arguments);

  std::unique_ptr<transport::Mesh> mesh_;
  CommunicatorOptions options_;
  Device device_;
  schedule::SharedLayout hosts_;
  select::Layout layout_;
  std::unique_ptr<execute::Waiter> waiter_;
  std::vector<transport::Endpoint*> neighbours_;
  PlanCache plans_;
  UnevenPlans uneven_plans_;
  Staging staging_;
  CallInfo last_call_;
  transport::Call last_{};
  Status broken_;
};

}  // namespace rondo::communicator
