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

Result<std::string> locate_set(const NamedSet& set, const std::vector<std::string>& folders) {
  std::vector<std::string> searched;
  for (const std::string& folder : folders) {
    const fs::path candidate = fs::path(folder) / set.name;
    std::error_code ignored;
    if (fs::exists(candidate / set.file, ignored)) return candidate.string();
    searched.push_back(candidate.string());
  }
  const std::string advice =
      set.is_fetched
          ? fmt::format("get it with: scripts/data {0}, or set RONDO_DATA to a folder with {0}/{1}",
                        set.name, set.file)
          : fmt::format(
                "nobody may fetch it for you: set RONDO_DATA to a folder with your own {}/{}",
                set.name, set.file);
  return Status(ErrorCode::kInvalidArgument, fmt::format("no {}: looked in {}; {}", set.file,
                                                         fmt::join(searched, ", "), advice));
}

}  // namespace rondo::nn
