#include "check.h"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace bench {
namespace {

/// Elements of `output` that follow each other and are all of one value.
struct Expected {
  std::size_t count = 0;
  float value = 0;
};

float value_of(int rank) { return static_cast<float>(rank + 1); }

std::vector<Expected> all_parts(const Data& data) {
  std::vector<Expected> expected;
  for (const std::size_t count : data.parts.counts)
    expected.push_back({count, value_of(static_cast<int>(expected.size()))});
  return expected;
}

/// From the beginning of `output` on; what lies behind is not looked at.
std::vector<Expected> expected_of(const World& world, std::string name, const Data& data) {
  const int ranks = world.size();
  const bool is_root = world.rank() == 0;
  const float sum = value_of(ranks) * static_cast<float>(ranks) / 2;
  if (name.ends_with("_v")) name.resize(name.size() - 2);
  if (name == "all_reduce" || (name == "reduce" && is_root)) return {{data.total, sum}};
  if (name == "broadcast") return {{data.total, value_of(0)}};
  if (name == "scatter") return {{data.part, value_of(0)}};
  if (name == "reduce_scatter") return {{data.part, sum}};
  if (name == "all_gather" || name == "all_to_all" || (name == "gather" && is_root))
    return all_parts(data);
  if (name == "send_receive") return {{data.total, value_of((world.rank() + ranks - 1) % ranks)}};
  const int partner = partner_of(world.rank(), ranks);
  if (partner >= 0 && (name == "ping_pong" || (name == "send" && world.rank() % 2 == 1)))
    return {{data.total, value_of(partner)}};
  return {};
}

}  // namespace

void check(World& world, const std::string& name, const World::Call& call, const Data& data) {
  std::fill_n(data.output, data.total, -1.0F);
  std::fill_n(is_in_place(name) ? data.output : data.input, data.total, value_of(world.rank()));
  world.barrier();
  call(data);
  std::span<const float> output(data.output, data.total);
  for (const auto [count, value] : expected_of(world, name, data)) {
    if (std::ranges::count(output.first(count), value) != static_cast<std::ptrdiff_t>(count)) {
      throw std::runtime_error("rank " + std::to_string(world.rank()) + ": the result of " + name +
                               " is wrong: expected " + std::to_string(value));
    }
    output = output.subspan(count);
  }
}

}  // namespace bench
