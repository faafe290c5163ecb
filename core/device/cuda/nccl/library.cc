#include "core/device/cuda/nccl/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/device/cuda/nccl/status.h"
#include "core/environment.h"

namespace rondo::device {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "libnccl.so.2";

/// Communicators that don't block, and give up where they are told to, are as old as this.
constexpr int kOldest = NCCL_VERSION(2, 18, 1);

std::vector<std::string> named(std::string_view list) {
  std::vector<std::string> paths;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    const std::string part(list.substr(0, end));
    std::error_code ignored;
    if (!part.empty())
      paths.push_back(fs::is_directory(part, ignored) ? (fs::path(part) / kFileName).string()
                                                      : part);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return paths;
}

/// As pip installs it: lib/python3.11/site-packages/nvidia/nccl/lib.
std::vector<std::string> in_python(const std::string& environment) {
  std::vector<std::string> paths;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(fs::path(environment) / "lib", failed)) {
    if (!entry.path().filename().string().starts_with("python3")) continue;
    const fs::path file = entry.path() / "site-packages/nvidia/nccl/lib" / kFileName;
    if (fs::exists(file, failed)) paths.push_back(file.string());
  }
  return paths;
}

struct Entry {
  const char* name;
  void** place;
};

Status missing(const std::string& path, const char* name) {
  return Status(ErrorCode::kUnsupported,
                fmt::format("{} has no function {}: NCCL {} or newer is needed; update it, or name "
                            "another in RONDO_NCCL",
                            path, name, nccl_version_text(kOldest)));
}

Result<NcclTable> fill(void* library, const std::string& path) {
  NcclTable table;
#define RONDO_NCCL_ENTRY(name) {#name, reinterpret_cast<void**>(&table.name)},
  const Entry entries[] = {RONDO_NCCL_FUNCTIONS(RONDO_NCCL_ENTRY)};
#undef RONDO_NCCL_ENTRY
  for (const Entry& entry : entries) {
    *entry.place = ::dlsym(library, entry.name);
    if (*entry.place == nullptr) return missing(path, entry.name);
  }
  // Others share what an older one lacks; a library that is too old says so here.
  RONDO_TRY(nccl_version(table).status());
  return table;
}

}  // namespace

std::vector<std::string> nccl_library_paths() {
  if (const auto given = environment_text("RONDO_NCCL")) return named(*given);
  std::vector<std::string> paths = {kFileName};
  for (const char* const variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto environment = environment_text(variable);
    if (!environment) continue;
    for (std::string& path : in_python(*environment)) paths.push_back(std::move(path));
  }
  return paths;
}

std::string nccl_version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

Result<int> nccl_version(const NcclTable& table) {
  int version = 0;
  RONDO_TRY(nccl_status(table, nullptr, "ncclGetVersion", table.ncclGetVersion(&version)));
  if (version >= kOldest) return version;
  return Status(ErrorCode::kUnsupported,
                fmt::format("NCCL here is {}, and {} or newer is needed: update it, or name "
                            "another in RONDO_NCCL",
                            nccl_version_text(version), nccl_version_text(kOldest)));
}

Result<NcclTable> load_nccl_table(const std::vector<std::string>& paths) {
  std::vector<std::string> reasons;
  for (const std::string& path : paths) {
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const reason = ::dlerror();
      reasons.push_back(reason == nullptr ? path + ": no reason given" : reason);
      continue;
    }
    auto table = fill(library, path);
    if (table.ok()) return table;
    // A system's may be too old where a Python environment has a newer one.
    ::dlclose(library);
    if (paths.size() == 1) return table;
    reasons.push_back(table.status().message());
  }
  return Status(ErrorCode::kUnsupported,
                fmt::format("no NCCL can be used ({}); install it, or name its library, or its "
                            "folder, in RONDO_NCCL",
                            reasons.empty() ? "no path was given"
                                            : fmt::to_string(fmt::join(reasons, "; "))));
}

}  // namespace rondo::device
