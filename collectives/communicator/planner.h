#pragma once

// Makes the plan of a call: chooses the algorithm, builds and fuses its schedule, binds it to this
// rank's endpoints and to sizes. A pure function of what all ranks hold equal, but for the
// endpoints. Threads: those of the place.

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "collectives/communicator/call_arguments.h"
#include "collectives/communicator/device_choice.h"
#include "collectives/communicator/one_exchange.h"
#include "collectives/communicator/plan_cache.h"
#include "collectives/communicator/schedule_cache.h"
#include "collectives/communicator/user_schedule.h"
#include "collectives/communicator/wire_choice.h"
#include "collectives/kernels/reduce.h"
#include "collectives/schedule/host_layout.h"
#include "collectives/select/pricing.h"
#include "collectives/select/select.h"
#include "transport/mesh/mesh.h"

namespace rondo::communicator {

class Planner {
 public:
  /// Borrows the mesh and the options, which have been resolved.
  Planner(const transport::Mesh& mesh, const CommunicatorOptions& options, Device device);

  /// Errors: InvalidArgument (a forced algorithm that doesn't exist), Unsupported (a way for
  /// devices that these ranks don't have).
  Status check_options() const;
  /// The user's schedule, which has been proved; null: there is none.
  void use_schedule(std::shared_ptr<const UserSchedule> schedule);
  const std::shared_ptr<const UserSchedule>& schedule() const { return user_schedule_; }
  /// Whether ranks of this host do not outnumber the cores they may use.
  void set_spare_core(bool spare_core) { spare_core_ = spare_core; }
  void use_links(const schedule::LinkSpeeds& links);
  /// Choices from now on go by what was measured; null: by constants that are built in.
  void use_tuning(std::shared_ptr<const select::Tuning> tuning);
  /// Of this world beside that: predictions of built-in algorithms from now on go by it, choices
  /// don't.
  void use_pace(select::Pace pace);
  const std::shared_ptr<const select::Tuning>& tuning() const { return tuning_; }
  /// Predictions go by times of this very world.
  bool is_measured_here() const { return pricing_ != nullptr && pricing_->is_measured_here(); }
  /// Plans from now on are of this algorithm, to be timed: as it is, whatever schedule, order or
  /// wire format the options ask for. Empty: by the options.
  void force(std::string_view algorithm) { forced_ = algorithm; }
  const schedule::HostLayout& hosts() const { return *hosts_; }
  /// The schedules that plans were made of.
  const ScheduleCache& schedules() const { return schedules_; }
  std::size_t segment_bytes() const;
  /// What the options ask of every call.
  bool is_deterministic() const { return options_.deterministic && !is_timing(); }
  /// All algorithms that an even call of `bytes` may run by, those that are chosen first coming
  /// first.
  std::vector<select::Candidate> priced(schedule::Collective collective, std::size_t bytes,
                                        const select::Demands& demands = {}) const;

  /// For arguments that have been checked. Errors: Unsupported, System, InvalidArgument.
  Result<std::shared_ptr<PreparedPlan>> make(const CallArguments& arguments);
  /// Makes `old`, a plan of calls that differ in nothing but their counts, and that nobody runs any
  /// more, what `make` would make, in less time. True if it can be; else, and after an error, it is
  /// of no use any more. Errors: as make.
  Result<bool> remake(PreparedPlan& old, const CallArguments& arguments);
  const DeviceChoice& device_choice() const { return device_; }
  /// See DeviceChoice.
  int kernel_waits_for() { return device_.kernel_waits_for(); }
  void leave() { device_.leave(); }
  void give_up() { device_.give_up(); }

  /// Null where each call brings a function of its own. Errors: Unsupported.
  static Result<kernels::ReduceKernel> kernel_of(const CallArguments& arguments);

 private:
  /// What was priced last of a collective. Calls whose ranks know their own rows only are all
  /// priced alike, and have new counts, and so new plans, in many programs each time.
  struct Priced {
    std::size_t bytes = 0;
    select::Demands demands;
    std::vector<select::Candidate> list;  ///< empty: nothing was
  };

  bool is_timing() const { return !forced_.empty(); }
  const std::vector<select::Candidate>& priced_of(schedule::Collective collective,
                                                  std::size_t bytes,
                                                  const select::Demands& demands);

  void use_layout(schedule::HostLayout layout);
  void make_pricing();
  Result<select::Candidate> choose(const CallArguments& arguments);
  /// Whether the device combines what the algorithm wants it to; the host always does.
  bool is_taken(const algorithms::Algorithm& algorithm, const CallArguments& arguments);
  void predict(PreparedPlan& prepared, const select::Candidate& chosen,
               const CallArguments& arguments);
  schedule::Request request_of(const algorithms::Algorithm& algorithm,
                               const CallArguments& arguments) const;
  /// Of all ranks; 0 where that isn't known.
  std::size_t bytes_of(const CallArguments& arguments) const;
  int divisor_of(const CallArguments& arguments) const {
    return arguments.reduction.op() == ReduceOp::kAvg ? size() : 1;
  }
  /// What tells everybody everything at once, where that is the algorithm and suits all ranks.
  Result<bool> make_one_exchange(PreparedPlan& prepared, const CallArguments& arguments) const;
  Result<execute::Contributions::Inputs> contributions_of(const CallArguments& arguments) const;
  Result<execute::PlanInputs> plan_inputs(const algorithms::Algorithm& algorithm,
                                          const CallArguments& arguments,
                                          std::shared_ptr<const OwnPart> own) const;
  Status set_table(schedule::ChunkTable& table, const algorithms::Algorithm& algorithm,
                   const CallArguments& arguments, const schedule::Request& request) const;
  Result<execute::PlanInputs> inputs_of_own(const UserSchedule& own,
                                            const CallArguments& arguments);
  /// As `rondo plan` predicts it: by simulation, on the constants that were measured, or else on
  /// those that are built in. 0 where the simulation isn't for this world (Pricing::make).
  double predicted_us(const UserSchedule& own, const execute::PlanInputs& inputs) const;
  Result<execute::PlanInputs> inputs_of(const CallArguments& arguments,
                                        std::shared_ptr<const OwnPart> own) const;
  /// `world`: of a call on the device, which runs by all ranks' schedules.
  Status bind(PreparedPlan& prepared, execute::PlanInputs inputs,
              const schedule::FoldedWorld* world, const CallArguments& arguments);
  PreparedPlan::RunBy runner_of(const execute::Plan& plan, const CallArguments& arguments) const;
  /// Of its plan, on the host: a new one, or that of other sizes.
  void make_runner(PreparedPlan& prepared, const CallArguments& arguments) const;
  /// The user's schedule, where it is for this call; null otherwise.
  const UserSchedule* own_schedule(const CallArguments& arguments) const;
  int size() const { return mesh_.size(); }
  int rank() const { return mesh_.rank(); }

  const transport::Mesh& mesh_;
  const CommunicatorOptions& options_;
  WireChoice wire_;
  DeviceChoice device_;
  bool spare_core_ = true;
  std::shared_ptr<const UserSchedule> user_schedule_;
  std::shared_ptr<const OwnPart> user_part_;  ///< of it, where it is for a world of this size
  ScheduleCache schedules_;
  schedule::SharedLayout hosts_;
  select::Layout layout_;
  std::string_view forced_;
  schedule::ChunkTable spare_table_ = schedule::ChunkTable::equal(0, 1);  ///< its memory is of use
  std::shared_ptr<const select::Tuning> tuning_;
  std::unique_ptr<select::Pricing> pricing_;  ///< null: by constants that are built in
  std::array<Priced, static_cast<std::size_t>(schedule::Collective::kBarrier) + 1> last_priced_;
};

}  // namespace rondo::communicator
