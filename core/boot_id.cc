#include "core/boot_id.h"

#include <fstream>

namespace rondo {

std::optional<std::string> boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  if (!(file >> id)) return std::nullopt;
  return id;
}

}  // namespace rondo
