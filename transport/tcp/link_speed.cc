#include "transport/tcp/link_speed.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "transport/tcp/interface.h"

namespace rondo::transport {

std::optional<int> link_speed_mbit(const std::string& address) {
  const std::string name = interface_of(address);
  if (name.empty()) return std::nullopt;
  int speed_mbit = 0;
  std::ifstream file("/sys/class/net/" + name + "/speed");
  // Where it isn't known, reading fails, or gives -1.
  if (!(file >> speed_mbit) || speed_mbit <= 0) return std::nullopt;
  return speed_mbit;
}

std::size_t sockets_to_fill(std::optional<int> speed_mbit) {
  if (!speed_mbit || *speed_mbit <= 10'000) return 1;
  return *speed_mbit <= 25'000 ? 2 : 4;
}

std::size_t sockets_that_fit(std::size_t wanted, std::size_t peers, std::size_t most_descriptors) {
  const std::size_t each = most_descriptors / 2 / std::max<std::size_t>(peers, 1);
  // One more for each peer's control connection.
  return std::clamp<std::size_t>(each > 0 ? each - 1 : 0, 1, std::max<std::size_t>(wanted, 1));
}

std::size_t most_open_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace rondo::transport
