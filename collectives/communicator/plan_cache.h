#pragma once

// Plans of one communicator by what they depend on, with the last one used at hand.

#include <cstddef>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "collectives/execute/host/plan.h"
#include "collectives/execute/host/plan_runner.h"
#include "transport/endpoint/call.h"

namespace rondo::communicator {

/// A plan with the state of its runs.
struct PreparedPlan {
  std::unique_ptr<execute::Plan> plan;  ///< null where the runner needs none
  std::unique_ptr<execute::Runner> runner;
  std::string_view algorithm;
};

/// The fingerprint holds all that a plan depends on: in place or not, the plan is the same.
class PlanCache {
 public:
  /// Null where there is none yet.
  PreparedPlan* find(const transport::Fingerprint& key);
  PreparedPlan& insert(const transport::Fingerprint& key, PreparedPlan plan);

 private:
  struct Hash {
    std::size_t operator()(const transport::Fingerprint& key) const;
  };
  std::unordered_map<transport::Fingerprint, PreparedPlan, Hash> plans_;
  transport::Fingerprint last_key_;
  PreparedPlan* last_ = nullptr;
};

}  // namespace rondo::communicator
