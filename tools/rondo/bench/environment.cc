#include "tools/rondo/bench/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "rondo/info.h"
#include "tools/rondo/bench/commit.h"
#include "tools/rondo/bench/input_file.h"

namespace rondo::tool {
namespace {

/// Of the first core; virtual machines have none.
std::string governor() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string name;
  if (std::getline(file, name) && !name.empty()) return name;
  return "unknown (no cpufreq)";
}

/// One of Rondo's that no launcher sets.
bool is_users_variable(std::string_view name) {
  constexpr std::array kLaunchers = {
      std::string_view("RONDO_RANK"),       std::string_view("RONDO_WORLD"),
      std::string_view("RONDO_LOCAL_RANK"), std::string_view("RONDO_LOCAL_WORLD"),
      std::string_view("RONDO_STORE"),      std::string_view("RONDO_STORE_FD"),
      std::string_view("RONDO_JOB")};
  return name.starts_with("RONDO_") && std::ranges::find(kLaunchers, name) == kLaunchers.end();
}

/// Of interfaces, launchers and devices nobody wants to hear above every table.
bool explains_a_time(std::string_view name) {
  constexpr std::array kNames = {std::string_view("version"),  std::string_view("commit"),
                                 std::string_view("compiler"), std::string_view("build_type"),
                                 std::string_view("flags"),    std::string_view("host"),
                                 std::string_view("kernel"),   std::string_view("cpu"),
                                 std::string_view("governor"), std::string_view("cores"),
                                 std::string_view("caches"),   std::string_view("kernel_target")};
  return is_users_variable(name) || std::ranges::find(kNames, name) != kNames.end();
}

void insert_behind(Facts& facts, const char* name, Facts::value_type fact) {
  const auto found = std::ranges::find(facts, name, &Facts::value_type::first);
  facts.insert(found == facts.end() ? found : found + 1, std::move(fact));
}

}  // namespace

Facts tool_info() {
  Facts facts = build_and_machine_info();
  insert_behind(facts, "version", {"commit", std::string(commit())});
  return facts;
}

Facts bench_environment() {
  Facts facts = tool_info();
  insert_behind(facts, "cpu", {"governor", governor()});
  return facts;
}

std::string environment_lines(const Facts& facts) {
  std::string lines;
  for (const auto& [name, value] : facts) {
    if (explains_a_time(name)) lines += fmt::format("#   {:<14} {}\n", name, one_line(value));
  }
  return lines;
}

std::string fact(const Facts& facts, const std::string& name) {
  const auto found = std::ranges::find(facts, name, &Facts::value_type::first);
  return found == facts.end() ? std::string() : found->second;
}

}  // namespace rondo::tool
