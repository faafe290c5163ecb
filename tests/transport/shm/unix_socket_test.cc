#include "transport/shm/unix_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/transport/shm/descriptor_limit.h"

namespace rondo::transport {
namespace {

constexpr std::array<std::byte, 4> kPacket{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};

class UnixSocket : public testing::Test {
 protected:
  UnixSocket() {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends.data()), 0);
    sender_ = UniqueFd(ends[0]);
    receiver_ = UniqueFd(ends[1]);
  }
  void send() {
    const std::array<int, 3> descriptors{sender_.get(), sender_.get(), sender_.get()};
    ASSERT_TRUE(send_packet(sender_.get(), kPacket, descriptors));
  }
  Result<Packet> receive() {
    std::array<std::byte, 16> buffer;
    return receive_packet(receiver_.get(), buffer);
  }
  UniqueFd sender_;
  UniqueFd receiver_;
};

TEST_F(UnixSocket, Packet_bringsItsDescriptors) {
  send();
  const auto packet = receive();
  ASSERT_TRUE(packet.ok()) << packet.status().to_string();
  EXPECT_EQ(packet->bytes, kPacket.size());
  for (const UniqueFd& descriptor : packet->descriptors) EXPECT_TRUE(descriptor.valid());
}

TEST_F(UnixSocket, DescriptorsBeyondTheLimit_areAnErrorThatSaysHowToRaiseIt_andNoneStays) {
  for (const int room : {0, 1, 2}) {
    send();
    const DescriptorLimit limit(room);
    const auto packet = receive();
    EXPECT_EQ(packet.status().code(), ErrorCode::kSystem) << room;
    EXPECT_THAT(packet.status().message(), testing::HasSubstr("ulimit -n")) << room;
    EXPECT_EQ(DescriptorLimit::room(), room);
  }
}

}  // namespace
}  // namespace rondo::transport
