// What a LaneRunner does where its plan has a wire format: decodes what came, rounds what it
// stores.

#include <cstring>

#include "collectives/execute/host/lane_runner.h"
#include "collectives/kernels/error_feedback.h"

namespace rondo::execute {

bool LaneRunner::decodes_into_place() const {
  const BoundSweep& sweep = current();
  return sweep.sources.size() == 1 && sweep.sources.front().is_channel &&
         receiver(sweep.sources.front()).encoded;
}

float* LaneRunner::residual(const BoundSweep& sweep, std::uint32_t segment) const {
  if (residuals_ == nullptr || !sweep.residual.has_value()) return nullptr;
  return residuals_ + *sweep.residual + segment * plan_.segment_bytes() / sizeof(float);
}

/// Where the segment that came from a source lies, as elements.
const std::byte* LaneRunner::received(std::size_t source, std::uint32_t segment) {
  const Channel& channel = receiver(current().sources[source]);
  const Incoming& incoming = incoming_[source];
  const std::byte* view = channel.endpoint->view(incoming.tokens[segment % incoming.tokens.size()]);
  if (!channel.encoded) return view;
  std::byte* const target = decoded_ + source * plan_.segment_bytes();
  plan_.wire().decode(view, segment_bytes(segment) / sizeof(float),
                      reinterpret_cast<float*>(target));
  return target;
}

/// A message that is only stored: straight into its first memory target.
void LaneRunner::decode_segment(std::uint32_t segment) {
  const BoundPort& source = current().sources.front();
  transport::Endpoint* endpoint = receiver(source).endpoint;
  const transport::Token token = incoming_[0].tokens[segment % incoming_[0].tokens.size()];
  auto* target = const_cast<std::byte*>(first_memory()) + segment * plan_.segment_bytes();
  plan_.wire().decode(endpoint->view(token), segment_bytes(segment) / sizeof(float),
                      reinterpret_cast<float*>(target));
  endpoint->release(token);
}

/// All memory targets hold the same; nothing of it has been sent.
void LaneRunner::round_segment(std::uint32_t segment) {
  const BoundSweep& sweep = current();
  const std::byte* rounded = nullptr;
  for (const BoundPort& port : sweep.targets) {
    if (port.is_channel) continue;
    std::byte* target = memory(port.slice, segment);
    if (rounded == nullptr) {
      kernels::round_to_wire(plan_.wire(), segment_bytes(segment) / sizeof(float),
                             reinterpret_cast<float*>(target), residual(sweep, segment));
      rounded = target;
    } else if (segment_bytes(segment) != 0) {
      std::memcpy(target, rounded, segment_bytes(segment));
    }
  }
}

}  // namespace rondo::execute
