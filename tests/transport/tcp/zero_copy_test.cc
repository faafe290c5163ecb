// Messages that are sent from where they lie. The kernel of a test's machine copies them in the
// end, as over every loopback, and says so with each notice: everything up to there is as on a
// network.

#include "transport/tcp/zero_copy.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/log.h"
#include "core/unique_fd.h"
#include "tests/transport/tcp/tcp_world.h"
#include "transport/tcp/outbox.h"
#include "transport/tcp/tcp_endpoint.h"

namespace rondo::transport {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t kLarge = 300'001;

Bytes content(std::size_t bytes, int seed) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>((i * 31 + static_cast<std::size_t>(seed) * 7) % 251);
  return data;
}

/// What is lent is pinned, and counts as locked memory.
bool may_pin(std::size_t bytes) {
  const Bytes memory(bytes);
  const bool may = ::mlock(memory.data(), memory.size()) == 0;
  ::munlock(memory.data(), memory.size());
  return may;
}

#define SKIP_UNLESS_MEMORY_MAY_BE_PINNED() \
  if (!may_pin(std::size_t{8} << 20)) GTEST_SKIP() << "8 MiB may not be locked (ulimit -l)"

/// Two ends of a connection over loopback.
class ZeroCopyTest : public ::testing::Test {
 protected:
  ZeroCopyTest() {
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof name;
    auto* address = reinterpret_cast<sockaddr*>(&name);
    EXPECT_EQ(::bind(listener.get(), address, bytes), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), address, &bytes), 0);
    near_.emplace_back(::socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(near_[0].get(), address, bytes), 0);
    far_ = UniqueFd(::accept(listener.get(), nullptr, nullptr));
  }
  int near() const { return near_[0].get(); }
  Bytes read(std::size_t bytes) {
    Bytes data(bytes);
    std::size_t got = 0;
    while (got < bytes) {
      const ssize_t more = ::recv(far_.get(), data.data() + got, bytes - got, 0);
      if (more <= 0) break;
      got += static_cast<std::size_t>(more);
    }
    data.resize(got);
    return data;
  }
  /// Until the kernel has something to say: an error event, without an error.
  bool has_notice() const {
    pollfd waiting{near(), 0, 0};
    return ::poll(&waiting, 1, 10'000) == 1 && (waiting.revents & POLLERR) != 0;
  }

  std::vector<UniqueFd> near_;
  UniqueFd far_;
};

TEST_F(ZeroCopyTest, Memory_IsLentUntilTheKernelHasReadIt) {
  SKIP_UNLESS_MEMORY_MAY_BE_PINNED();
  ZeroCopy lender(1000);
  EXPECT_FALSE(lender.is_for(999));
  ASSERT_TRUE(lender.is_for(1000));
  Bytes data = content(5000, 1);
  const IoResult sent = lender.send(near(), {data.data(), data.size()});
  ASSERT_EQ(sent.bytes, data.size());
  ASSERT_EQ(lender.sends(), 1U);
  EXPECT_FALSE(lender.has_read(1));
  EXPECT_EQ(read(5000), data);
  ASSERT_TRUE(has_notice());
  lender.collect(near());
  EXPECT_TRUE(lender.has_read(1));
  EXPECT_TRUE(lender.all_read());
  // Its notice said that it was copied nevertheless.
  EXPECT_FALSE(lender.is_for(1 << 20));
  EXPECT_EQ(lender.send(near(), {data.data(), data.size()}).bytes, data.size());
  EXPECT_EQ(lender.sends(), 1U);
}

TEST_F(ZeroCopyTest, ManySends_AreCountedUntilTheLast) {
  SKIP_UNLESS_MEMORY_MAY_BE_PINNED();
  ZeroCopy lender(1);
  Bytes data = content(100, 2);
  for (int i = 0; i < 40; ++i) ASSERT_EQ(lender.send(near(), {data.data(), 100}).bytes, 100U);
  EXPECT_EQ(lender.sends(), 40U);
  EXPECT_FALSE(lender.all_read());
  EXPECT_EQ(read(4000).size(), 4000U);
  while (!lender.all_read() && has_notice()) lender.collect(near());
  EXPECT_TRUE(lender.has_read(40));
}

TEST_F(ZeroCopyTest, Notices_MayComeInAnyOrder_AndOfSendsThatWereNotMade) {
  SKIP_UNLESS_MEMORY_MAY_BE_PINNED();
  ZeroCopy lender(1);
  Bytes data = content(10, 6);
  for (int i = 0; i < 8; ++i) ASSERT_EQ(lender.send(near(), {data.data(), 10}).bytes, 10U);
  lender.note_read(5, 6);
  lender.note_read(8, 4'000'000'000);
  lender.note_read(UINT32_MAX, UINT32_MAX);
  EXPECT_FALSE(lender.has_read(1));
  lender.note_read(0, 3);
  EXPECT_TRUE(lender.has_read(4));
  EXPECT_FALSE(lender.has_read(5));
  lender.note_read(4, 4);
  lender.note_read(4, 4);
  EXPECT_TRUE(lender.has_read(7));
  EXPECT_FALSE(lender.all_read());
  lender.note_read(7, 7);
  EXPECT_TRUE(lender.all_read());
}

TEST_F(ZeroCopyTest, MoreThanMayBeUnread_IsCopied) {
  SKIP_UNLESS_MEMORY_MAY_BE_PINNED();
  ZeroCopy lender(1);
  std::byte one{42};
  for (int i = 0; i < 1100; ++i) {
    ASSERT_EQ(lender.send(near(), {&one, 1}).bytes, 1U);
    // At once: each byte takes a page of the connection's buffers.
    ASSERT_EQ(read(1), Bytes(1, std::byte{42}));
  }
  EXPECT_EQ(lender.sends(), 1024U);
  lender.note_read(0, 1023);
  EXPECT_TRUE(lender.all_read());
  ASSERT_EQ(lender.send(near(), {&one, 1}).bytes, 1U);
  EXPECT_EQ(lender.sends(), 1025U);
  lender.note_read(1024, 1024);
  EXPECT_TRUE(lender.all_read());
}

TEST_F(ZeroCopyTest, WhereTheKernelCant_ItIsCopied) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  const UniqueFd one(pair[0]);
  const UniqueFd other(pair[1]);
  ZeroCopy lender(1);
  Bytes data = content(100, 3);
  EXPECT_EQ(lender.send(one.get(), {data.data(), 100}).bytes, 100U);
  EXPECT_EQ(lender.sends(), 0U);
  EXPECT_TRUE(lender.all_read());
}

/// A group is done when the kernel has read its payload, not when it has been written.
TEST_F(ZeroCopyTest, GroupsOfAnOutbox_WaitForTheKernel) {
  SKIP_UNLESS_MEMORY_MAY_BE_PINNED();
  TcpGroups groups(8);
  Outbox outbox(8, 1, groups, 1000);
  const Bytes large = content(2000, 4);
  const Bytes small = content(10, 5);
  const auto send = [&](const Bytes& payload) {
    const std::uint32_t group = groups.acquire(1);
    outbox.send({.payload_bytes = payload.size(), .call = {1, 2, sum_of(7)}}, payload.data(),
                group);
    return group;
  };
  const std::uint32_t first = send(small), second = send(large), third = send(small);
  ASSERT_TRUE(outbox.flush(near_));
  EXPECT_FALSE(outbox.pending());
  EXPECT_TRUE(outbox.lends(0));
  EXPECT_EQ(groups[first].remaining, 0U);
  EXPECT_EQ(groups[second].remaining, 1U);
  EXPECT_EQ(groups[third].remaining, 0U);
  EXPECT_EQ(outbox.sent_bytes(), 2020U);
  const Bytes wire = read(3 * kFrameHeaderBytes + 2020);
  EXPECT_EQ(
      Bytes(wire.begin() + 2 * kFrameHeaderBytes + 10, wire.begin() + 2 * kFrameHeaderBytes + 2010),
      large);
  ASSERT_TRUE(has_notice());
  outbox.collect(near_);
  EXPECT_EQ(groups[second].remaining, 0U);
  EXPECT_FALSE(outbox.lends(0));
}

constexpr std::size_t kMoreThanSocketsTake = std::size_t{48} << 20;

/// Rank 0 sends more than the sockets take, and the peer has begun to read it.
struct HalfSent {
  HalfSent() : data(content(kMoreThanSocketsTake, 9)), received(data.size()) {
    const Transfer in{
        .kind = TransferKind::kRecv, .data = received.data(), .bytes = received.size()};
    awaited = world.end(1, 0).post({&in, 1}).value();
    const Transfer out{.kind = TransferKind::kSend, .data = data.data(), .bytes = data.size()};
    token = world.end(0, 1).post({&out, 1}).value();
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(world.rank(1).progress().ok());
    EXPECT_FALSE(world.end(1, 0).poll(awaited).value()) << "all of it is there";
  }
  TcpWorld world{2, {.zero_copy_bytes = 4096}};
  Bytes data;
  Bytes received;
  Token token = 0;
  Token awaited = 0;
};

TEST(ZeroCopyWorld, SenderWhoseMessageIsHalfOut_CanSleep_AndIsWokenToGoOn) {
  SKIP_UNLESS_MEMORY_MAY_BE_PINNED();
  HalfSent half;
  TcpTransport& sender = half.world.rank(0);
  const int socket = static_cast<TcpEndpoint&>(half.world.end(0, 1)).data_socket(0);
  pollfd notice{socket, 0, 0};
  ASSERT_EQ(::poll(&notice, 1, 10'000), 1) << "the kernel has nothing to say";
  const Deadline latest = after_ms(10'000);
  bool sleeps = false;
  while (!sleeps && std::chrono::steady_clock::now() < latest) {
    ASSERT_TRUE(sender.progress().ok());
    sleeps = !sender.arm();
    sender.disarm();
  }
  EXPECT_TRUE(sleeps) << "an event is there all the time";
  EXPECT_FALSE(half.world.end(0, 1).poll(half.token).value());
  EXPECT_TRUE(half.world.finish(1, 0, half.awaited));
  EXPECT_TRUE(half.world.finish(0, 1, half.token));
  EXPECT_TRUE(half.received == half.data);
}

TEST(ZeroCopyWorld, AfterAnAbort_NothingMoreOfTheMemoryIsSent) {
  SKIP_UNLESS_MEMORY_MAY_BE_PINNED();
  HalfSent half;
  auto& sender = static_cast<TcpEndpoint&>(half.world.end(0, 1));
  sender.abort(Status(ErrorCode::kCancelled, "the test gives up"));
  tcp_info connection{};
  socklen_t bytes = sizeof connection;
  ASSERT_EQ(::getsockopt(sender.data_socket(0), IPPROTO_TCP, TCP_INFO, &connection, &bytes), 0);
  EXPECT_EQ(connection.tcpi_state, TCP_CLOSE);
  const Deadline latest = after_ms(10'000);
  Status failure;
  while (failure.ok() && std::chrono::steady_clock::now() < latest)
    failure = half.world.rank(1).progress();
  EXPECT_NE(failure.message().find("the test gives up"), std::string::npos) << failure.to_string();
}

TEST(ZeroCopyWorld, Messages_ComeWhole_AndAKernelThatCopiesIsNotAskedAgain) {
  SKIP_UNLESS_MEMORY_MAY_BE_PINNED();
  const std::string log_file = ::testing::TempDir() + "/zero_copy_" + std::to_string(::getpid());
  ASSERT_TRUE(configure_log({.level = LogLevel::kInfo, .file = log_file}).ok());
  TcpWorld world(2, {.sockets = 2, .zero_copy_bytes = 4096});
  std::vector<Bytes> sent;
  std::vector<Bytes> received;
  std::vector<Token> tokens;
  std::vector<Token> awaited;
  for (int i = 0; i < 12; ++i) {
    const std::size_t bytes = i % 3 == 0 ? 100 : kLarge + static_cast<std::size_t>(i);
    sent.push_back(content(bytes, i));
    received.emplace_back(bytes);
  }
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const Transfer out{
        .kind = TransferKind::kSend, .data = sent[i].data(), .bytes = sent[i].size()};
    const Transfer in{
        .kind = TransferKind::kRecv, .data = received[i].data(), .bytes = received[i].size()};
    awaited.push_back(world.end(1, 0).post({&in, 1}).value());
    tokens.push_back(world.end(0, 1).post({&out, 1}).value());
  }
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_TRUE(world.finish(1, 0, awaited[i]));
    EXPECT_TRUE(world.finish(0, 1, tokens[i]));
    EXPECT_EQ(received[i], sent[i]) << i;
  }
  ASSERT_TRUE(configure_log({}).ok());
  std::stringstream said;
  said << std::ifstream(log_file).rdbuf();
  std::filesystem::remove(log_file);
  EXPECT_NE(said.str().find("tcp sends by copying from now on: the kernel copied"),
            std::string::npos)
      << said.str();
}

}  // namespace
}  // namespace rondo::transport
