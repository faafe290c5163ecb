#include "transport/shm/shm_transport.h"

#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/transport/ring/allocation_count.h"
#include "tests/transport/ring/conformance.h"
#include "tests/transport/shm/shm_world.h"

namespace rondo::transport {
namespace {

using Worlds = testing::Types<ShmWorld, ShmWorldOfSlots>;
INSTANTIATE_TYPED_TEST_SUITE_P(Shm, TransportConformance, Worlds);

template <typename World>
class ShmSteadyState : public TransportConformance<World> {};
TYPED_TEST_SUITE(ShmSteadyState, Worlds);

// Registered, small, in slots and private: each by copy and by view.
TYPED_TEST(ShmSteadyState, Calls_ofEveryKind_allocateNothing) {
  this->connect(2);
  auto registered = this->storable(100'000);
  std::vector<std::byte> plain(100'000), target(100'000);
  std::uint64_t before = 0;
  for (int round = 0; round < 100; ++round) {
    if (round == 2) before = allocation_count();
    this->begin(static_cast<std::uint64_t>(round + 2));
    for (std::byte* source : {registered.get(), plain.data()})
      for (const std::size_t bytes : {std::size_t{8}, std::size_t{9000}, plain.size()}) {
        const Transfer send{.data = source, .bytes = bytes};
        const Transfer recv{.kind = TransferKind::kRecv, .data = target.data(), .bytes = bytes};
        const Transfer view{.kind = TransferKind::kRecvView, .bytes = bytes};
        const auto first = this->from(0, 1).post(std::span(&send, 1));
        const auto second = this->from(0, 1).post(std::span(&send, 1));
        const auto received = this->from(1, 0).post(std::span(&recv, 1));
        const auto viewed = this->from(1, 0).post(std::span(&view, 1));
        while (!*this->from(1, 0).poll(*received) || !*this->from(1, 0).poll(*viewed))
          (void)this->place(0).progress();
        this->from(1, 0).release(*viewed);
        while (!*this->from(0, 1).poll(*first) || !*this->from(0, 1).poll(*second))
          (void)this->place(1).progress();
      }
  }
  EXPECT_EQ(allocation_count(), before);
}

bool can_read_own_process() {
  int value = 7, copy = 0;
  const iovec local{&copy, sizeof(copy)}, remote{&value, sizeof(value)};
  return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == sizeof(value) && copy == value;
}

class ShmPrivateMemory : public TransportConformance<ShmWorld> {};

// More than the slots hold would wait for them; less than that is copied at once, unless it is
// left in place for the peer to read.
TEST_F(ShmPrivateMemory, Send_thatThePeerReadsItself_isDoneOnlyOnceItHas) {
  if (!can_read_own_process()) GTEST_SKIP() << "process_vm_readv isn't permitted here";
  connect(2);
  std::vector<std::byte> source(100'000), target(100'000);
  const Token sent = post(from(0, 1), {.data = source.data(), .bytes = source.size()});
  EXPECT_FALSE(*from(0, 1).poll(sent));
  fill(source, 2);  // still the source's bytes that count
  const Token received = post(
      from(1, 0), {.kind = TransferKind::kRecv, .data = target.data(), .bytes = target.size()});
  EXPECT_TRUE(finish(from(1, 0), received));
  EXPECT_TRUE(*from(0, 1).poll(sent));
  EXPECT_EQ(target, source);
}

TEST(ShmTransport, Address_ofTwoPlaces_isShortAndDiffers) {
  const Identity identity{.job = 1, .epoch = 1, .rank = 0, .world = 2};
  const auto first = ShmTransport::create(identity).value();
  const auto second = ShmTransport::create(identity).value();
  EXPECT_NE(first->address(), second->address());
  EXPECT_LT(first->address().size(), 107u) << "the kernel's limit for a name";
}

TEST(ShmTransport, Create_outsideTheWorld_isInvalid) {
  EXPECT_EQ(ShmTransport::create({.rank = 2, .world = 2}).status().code(),
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace rondo::transport
