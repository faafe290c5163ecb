#include "transport/tcp/lost_host.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>

#include "core/unique_fd.h"

namespace rondo::transport {
namespace {

tcp_info connection(int retransmits, int probes, std::uint32_t last_ack_ms) {
  tcp_info info{};
  info.tcpi_retransmits = static_cast<std::uint8_t>(retransmits);
  info.tcpi_probes = static_cast<std::uint8_t>(probes);
  info.tcpi_last_ack_recv = last_ack_ms;
  return info;
}

bool is_lost(const auto& connection) { return is_host_lost(connection, std::chrono::seconds(30)); }

TEST(LostHost, DataSentAgainAndAgainWithoutAnAnswer_IsLost) {
  EXPECT_TRUE(is_lost(connection(7, 0, 30'000)));
  EXPECT_FALSE(is_lost(connection(7, 0, 29'999))) << "as patient as keepalive";
}

TEST(LostHost, ProbesOfAFullWindowWithoutAnAnswer_IsLost) {
  EXPECT_TRUE(is_lost(connection(0, 3, 60'000)));
}

TEST(LostHost, PeerThatDoesNotRead_IsNot) {
  // Its kernel has answered each probe; the next one may just be on its way.
  EXPECT_FALSE(is_lost(connection(0, 0, 119'000)));
  EXPECT_FALSE(is_lost(connection(0, 1, 120'000)));
}

TEST(LostHost, SilenceWithNothingUnanswered_IsNot) {
  EXPECT_FALSE(is_lost(connection(0, 0, 3'600'000)));
}

TEST(LostHost, LossOnTheWayThatIsMadeGood_IsNot) { EXPECT_FALSE(is_lost(connection(5, 0, 900))); }

TEST(LostHost, SocketThatIsNoTcpConnection_IsNot) {
  const UniqueFd local(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_FALSE(is_lost(local.get()));
  EXPECT_FALSE(is_lost(-1));
}

}  // namespace
}  // namespace rondo::transport
