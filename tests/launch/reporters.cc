#include "tests/launch/reporters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

namespace rondo::launch {

std::set<std::string> reporters_of(int culprit, const std::string& output) {
  std::smatch death;
  const std::regex last_words(fmt::format(R"(\[{}\] dies (-?\d+) ms late)", culprit));
  if (!std::regex_search(output, death, last_words)) {
    ADD_FAILURE() << "rank " << culprit << " did not say when it dies: " << output;
    return {};
  }
  const std::regex line(
      fmt::format(R"(\[(\d)\] after (-?\d+) ms: culprit {0}: .*rank {0})", culprit));
  std::set<std::string> reporters;
  for (auto it = std::sregex_iterator(output.begin(), output.end(), line);
       it != std::sregex_iterator(); ++it) {
    reporters.insert((*it)[1]);
    EXPECT_LT(std::stoi((*it)[2]) - std::stoi(death[1]), 2000) << "the promise is 2 s";
  }
  return reporters;
}

std::set<std::string> shared_memory_files() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("fake_nccl_")) names.insert(name);
  }
  return names;
}

}  // namespace rondo::launch
