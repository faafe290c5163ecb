#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace rondo::transport {

/// What this process maps of files whose path has `name` in it.
inline std::uint64_t mapped_bytes(std::string_view name) {
  std::ifstream maps("/proc/self/maps");
  std::uint64_t bytes = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(name) == std::string::npos) continue;
    const std::size_t dash = line.find('-');
    bytes += std::stoull(line.substr(dash + 1), nullptr, 16) - std::stoull(line, nullptr, 16);
  }
  return bytes;
}

}  // namespace rondo::transport
