#include "transport/shm/host_identity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "core/boot_id.h"
#include "core/random_bits.h"

namespace rondo::transport {
namespace {

constexpr char kSeparator = '/';

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
  return fmt::format("{1}{0}{2}{0}{3}{0}{4}{0}{5}", kSeparator, *boot, *net, *ipc, *user, *pid);
}

std::string_view machine_of(std::string_view host_identity) {
  return host_identity.substr(0, host_identity.find(kSeparator));
}

}  // namespace rondo::transport
