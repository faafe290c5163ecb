#include "transport/tcp/lost_host.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace rondo::transport {
namespace {

// One or two may have been lost, or sent just now.
constexpr int kUnanswered = 3;

}  // namespace

bool is_host_lost(const tcp_info& info, std::chrono::milliseconds patience) {
  // Both counts begin again with each acknowledgement.
  const int unanswered = std::max<int>(info.tcpi_retransmits, info.tcpi_probes);
  return unanswered >= kUnanswered &&
         std::chrono::milliseconds(info.tcpi_last_ack_recv) >= patience;
}

bool is_host_lost(int socket, std::chrono::milliseconds patience) {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0 &&
         is_host_lost(info, patience);
}

}  // namespace rondo::transport
