#include "transport/rendezvous/own_name.h"

#include <limits.h>
#include <strings.h>
#include <unistd.h>

#include <array>

namespace rondo::rendezvous {
namespace {

std::string without_domain(const std::string& name) { return name.substr(0, name.find('.')); }

}  // namespace

bool is_own_name(const std::string& host) {
  std::array<char, HOST_NAME_MAX + 1> own{};
  if (gethostname(own.data(), own.size() - 1) != 0) return false;
  const std::string name = without_domain(own.data());
  return name != "localhost" && strcasecmp(without_domain(host).c_str(), name.c_str()) == 0;
}

}  // namespace rondo::rendezvous
