#include "tools/rondo/run/store_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "tools/rondo/run/run_error.h"

namespace rondo::tool {

StoreSocket open_store_socket(int backlog) {
  UniqueFd listening(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof name;
  auto* const generic = reinterpret_cast<sockaddr*>(&name);
  if (!listening.valid() || bind(listening.get(), generic, bytes) != 0 ||
      listen(listening.get(), backlog) != 0 || getsockname(listening.get(), generic, &bytes) != 0) {
    throw system_failure("cannot listen on 127.0.0.1 for the ranks' store", errno);
  }
  return {std::move(listening), fmt::format("127.0.0.1:{}", ntohs(name.sin_port))};
}

}  // namespace rondo::tool
