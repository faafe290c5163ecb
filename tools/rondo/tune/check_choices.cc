#include "tools/rondo/tune/check_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tools/rondo/bench/names.h"
#include "tools/rondo/bench/sizes.h"
#include "tools/rondo/output.h"
#include "tools/rondo/tune/tune_text.h"

namespace rondo::tool {
namespace {

class Check {
 public:
  Check(Communicator& world, int rounds, MemoryKind memory)
      : world_(world), rounds_(rounds), memory_(memory) {}

  std::vector<MeasuredChoice> measured(Collective collective, std::uint64_t bytes) {
    auto choices = world_.measure_choices(collective, {bytes}, rounds_, memory_);
    for (const MeasuredChoice& choice : choices) print(choice_line(choice));
    return choices;
  }

  void look_again(const std::vector<MeasuredChoice>& all) {
    std::vector<MeasuredChoice> again;
    for (const MeasuredChoice& choice : all) {
      if (is_good(choice)) continue;
      if (again.empty()) print("\n");
      std::ranges::move(measured(choice.collective, choice.bytes), std::back_inserter(again));
    }
    if (!again.empty()) print(second_look_summary(again));
  }

  void print(const std::string& text) const {
    if (world_.rank() == 0) write_output(text);
  }

 private:
  Communicator& world_;
  int rounds_;
  MemoryKind memory_;
};

}  // namespace

std::vector<std::uint64_t> checked_sizes(const CheckedRange& range) {
  const SizeRange sizes{.first_bytes = parse_size("--begin", range.first),
                        .last_bytes = parse_size("--end", range.last),
                        .factor = static_cast<std::uint64_t>(range.factor)};
  if (sizes.first_bytes == 0)
    throw UsageError(fmt::format("--begin {}: expected at least 1 byte", range.first));
  return sizes_of(sizes);
}

void check_choices(Communicator& world, const CheckedRange& range) {
  const std::vector<std::uint64_t> sizes = checked_sizes(range);
  Check check(world, range.rounds,
              range.buffers == "registered" ? MemoryKind::kRegistered : MemoryKind::kOrdinary);
  check.print(choice_heading());
  std::vector<MeasuredChoice> all;
  for (const std::string& name : range.collectives) {
    for (const std::uint64_t bytes : sizes)
      std::ranges::move(check.measured(parse_collective(name), bytes), std::back_inserter(all));
  }
  check.print("\n" + choice_summary(all));
  check.look_again(all);
}

}  // namespace rondo::tool
