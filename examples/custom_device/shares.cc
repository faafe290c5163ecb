#include "examples/custom_device/shares.h"

#include <cstring>
#include <utility>

namespace custom_cpu {

Part part_of(const Part& whole, const Seat& seat) {
  const auto rank = static_cast<std::size_t>(seat.rank);
  const auto world = static_cast<std::size_t>(seat.world);
  Part part = whole;
  part.first = whole.count * rank / world;
  part.count = whole.count * (rank + 1) / world - part.first;
  return part;
}

bool combine(const Seat& seat, const Part& part, const std::vector<Target>& targets) {
  if (part.count == 0) return true;
  const std::size_t size = part.element_bytes;
  Reduction reduction{{}, {}, part.count, seat.world};
  std::vector<View> views;
  for (int rank = 0; rank < seat.world; ++rank) {
    View view = memory().see(seat.meeting->share(rank).input, (part.first + part.count) * size);
    if (view.data() == nullptr) return false;
    reduction.sources.push_back(view.data() + part.first * size);
    views.push_back(std::move(view));
  }
  for (const Target& target : targets) {
    View view =
        memory().see(seat.meeting->share(target.rank).output, (target.first + part.count) * size);
    if (view.data() == nullptr) return false;
    reduction.targets.push_back(view.data() + target.first * size);
    views.push_back(std::move(view));
  }
  part.kernel(reduction);
  return true;
}

bool copy_input(const Seat& seat, const Copy& copy) {
  if (copy.bytes == 0) return true;
  const View from = memory().see(seat.meeting->share(copy.from).input, copy.bytes);
  const View to = memory().see(seat.meeting->share(seat.rank).output, copy.first_byte + copy.bytes);
  if (from.data() == nullptr || to.data() == nullptr) return false;
  std::byte* const target = to.data() + copy.first_byte;
  if (target != from.data()) std::memcpy(target, from.data(), copy.bytes);
  return true;
}

}  // namespace custom_cpu
