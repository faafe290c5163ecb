#include "transport/shm/host_identity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "core/boot_id.h"
#include "transport/shm/random_bits.h"

namespace rondo::transport {
namespace {

// "net:[4026531840]"
std::optional<std::string> namespace_of(const char* name) {
  std::array<char, 64> text{};
  const std::string path = fmt::format("/proc/self/ns/{}", name);
  const ssize_t length = ::readlink(path.c_str(), text.data(), text.size());
  if (length <= 0) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(length));
}

}  // namespace

std::string host_identity() {
  const auto boot = boot_id();
  const auto net = namespace_of("net");
  const auto ipc = namespace_of("ipc");
  const auto user = namespace_of("user");
  const auto pid = namespace_of("pid");
  if (!boot || !net || !ipc || !user || !pid) return fmt::format("unknown-{:016x}", random_bits());
  return fmt::format("{}/{}/{}/{}/{}", *boot, *net, *ipc, *user, *pid);
}

}  // namespace rondo::transport
