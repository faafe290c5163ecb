#include "collectives/execute/device/kernel_program.h"

#include <algorithm>

namespace rondo::execute {
namespace {

using kernels::cuda::ScheduleLane;
using kernels::cuda::SchedulePort;
using kernels::cuda::ScheduleStep;

std::uint32_t number(std::size_t value) { return static_cast<std::uint32_t>(value); }

class Builder {
 public:
  explicit Builder(const Plan& plan)
      : plan_(plan), sent_(plan.senders().size()), received_(plan.receivers().size()) {}

  Result<KernelProgram> build() {
    for (const std::vector<BoundSweep>& sweeps : plan_.lanes()) {
      const ScheduleLane lane{.first_step = number(program_.steps.size())};
      for (const BoundSweep& sweep : sweeps) RONDO_TRY(add(sweep));
      const std::size_t steps = program_.steps.size() - lane.first_step;
      if (steps != 0) program_.lanes.push_back({lane.first_step, number(steps)});
    }
    for (const std::uint32_t letters : received_)
      program_.stride = std::max(program_.stride, letters);
    return std::move(program_);
  }

 private:
  Status add(const BoundSweep& sweep) {
    if (sweep.is_wait) {
      return Status(
          ErrorCode::kUnsupported,
          "a schedule whose lanes wait for each other isn't one kernel: it runs by the hosts, by "
          "messages of the devices' library, or on the host (RONDO_DEVICE_PATH=devices, messages, "
          "host)");
    }
    for (std::uint32_t segment = 0; segment < sweep.segments; ++segment)
      add_segment(sweep, segment * plan_.segment_bytes());
    return {};
  }

  void add_segment(const BoundSweep& sweep, std::size_t offset) {
    ScheduleStep step{.bytes = std::min(plan_.segment_bytes(), sweep.bytes - offset)};
    const BoundSlice payload = payload_of(sweep);
    step.payload_offset = payload.offset + offset;
    step.payload_role = number(static_cast<std::size_t>(payload.role));
    step.is_final = sweep.final ? 1 : 0;
    step.first_source = number(program_.ports.size());
    step.sources = number(sweep.sources.size());
    for (const BoundPort& port : sweep.sources)
      add_port(port, plan_.receivers(), received_, offset);
    step.first_target = number(program_.ports.size());
    step.targets = number(sweep.targets.size());
    for (const BoundPort& port : sweep.targets) add_port(port, plan_.senders(), sent_, offset);
    program_.steps.push_back(step);
  }

  void add_port(const BoundPort& bound, std::span<const Channel> channels,
                std::vector<std::uint32_t>& messages, std::size_t offset) {
    SchedulePort port{.offset = bound.slice.offset + offset,
                      .role = number(static_cast<std::size_t>(bound.slice.role))};
    if (bound.is_channel) {
      const Channel& channel = channels[bound.channel];
      const auto endpoints = plan_.endpoints();
      port.is_message = 1;
      port.stores = bound.direct ? 1 : 0;
      port.peer = number(static_cast<std::size_t>(std::ranges::find(endpoints, channel.endpoint) -
                                                  endpoints.begin()));
      port.lane = channel.lane;
      port.message = messages[bound.channel]++;
    }
    program_.ports.push_back(port);
  }

  /// Where what is sent lies: the sweep's memory target, or of a plain send its source.
  static BoundSlice payload_of(const BoundSweep& sweep) {
    for (const BoundPort& port : sweep.targets) {
      if (!port.is_channel) return port.slice;
    }
    return sweep.sources.front().slice;
  }

  const Plan& plan_;
  KernelProgram program_;
  std::vector<std::uint32_t> sent_;      ///< messages so far, by channel
  std::vector<std::uint32_t> received_;  ///< likewise
};

}  // namespace

Result<KernelProgram> KernelProgram::of(const Plan& plan) { return Builder(plan).build(); }

}  // namespace rondo::execute
