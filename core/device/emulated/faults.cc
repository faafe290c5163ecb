#include "core/device/emulated/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "core/device/driver.h"

namespace rondo::device {
namespace {

constexpr std::array<const char*, kOperations> kNames = {"allocate", "copy",   "kernel", "stream",
                                                         "event",    "export", "import"};

Status bad_faults(std::string_view text) {
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("RONDO_EMULATED_FAULTS=\"{}\": expected operations and the number of "
                            "the one that fails, as in copy:5,import:1, of {}",
                            text, fmt::join(kNames, ", ")));
}

std::optional<std::uint64_t> positive(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

}  // namespace

const char* to_string(Operation operation) { return kNames[static_cast<std::size_t>(operation)]; }

Result<FaultPlan> parse_faults(std::string_view text) {
  FaultPlan plan;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view entry = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    const std::size_t colon = entry.find(':');
    if (colon == std::string_view::npos) return bad_faults(text);
    const auto name = std::ranges::find(kNames, entry.substr(0, colon));
    const auto number = positive(entry.substr(colon + 1));
    if (name == kNames.end() || !number) return bad_faults(text);
    plan.failing[static_cast<std::size_t>(name - kNames.begin())] = *number;
  }
  return plan;
}

Status Faults::next(Operation operation, Device device) {
  Count& count = counts_[static_cast<std::size_t>(operation)];
  const std::uint64_t failing = count.failing.load(std::memory_order_relaxed);
  if (failing == 0) return {};
  const std::uint64_t number = count.seen.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number != failing) return {};
  failed_.fetch_add(1, std::memory_order_release);
  return Status(ErrorCode::kDevice, fmt::format("{}: {} number {} fails as RONDO_EMULATED_FAULTS "
                                                "asked for",
                                                name_of(device), to_string(operation), number));
}

void Faults::plan_again(const FaultPlan& plan) {
  for (std::size_t i = 0; i < kOperations; ++i) {
    counts_[i].seen.store(0, std::memory_order_relaxed);
    counts_[i].failing.store(plan.failing[i], std::memory_order_relaxed);
  }
  failed_.store(0, std::memory_order_relaxed);
}

}  // namespace rondo::device
