#include "nn/data/locate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace rondo::nn {
namespace fs = std::filesystem;
namespace {

/// The checkout around the running program (build/release/bin/...), found by its scripts/data, so
/// that no path is compiled in.
std::optional<fs::path> checkout() {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  while (!error && folder.has_relative_path()) {
    if (fs::exists(folder / "scripts" / "data", error)) return folder;
    folder = folder.parent_path();
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> data_folders() {
  std::vector<std::string> folders;
  if (const char* own = std::getenv("RONDO_DATA"); own != nullptr && *own != '\0') {
    folders.emplace_back(own);
  }
  folders.emplace_back("data");
  if (const std::optional<fs::path> root = checkout()) folders.push_back(*root / "data");
  return folders;
}

Result<std::string> locate_set(const std::string& set, const std::string& file,
                               const std::vector<std::string>& folders) {
  std::vector<std::string> searched;
  for (const std::string& folder : folders) {
    const fs::path candidate = fs::path(folder) / set;
    std::error_code ignored;
    if (fs::exists(candidate / file, ignored)) return candidate.string();
    searched.push_back(candidate.string());
  }
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("no {}: looked in {}; get it with: scripts/data {}", file,
                            fmt::join(searched, ", "), set));
}

}  // namespace rondo::nn
