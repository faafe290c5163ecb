#include "transport/rendezvous/kept_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>

#include "transport/rendezvous/tcp_store.h"

namespace rondo::rendezvous {
namespace {

constexpr std::uint64_t kFirstJob = 0xf1257;
constexpr std::uint64_t kSecondJob = 0x5ec0d;

std::unique_ptr<TcpStore> client_of(const StoreAddress& address, std::uint64_t job) {
  const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  return value_or_throw(TcpStore::connect(address, job, deadline));
}

TEST(KeptServer, SameJob_again_meetsInTheSameStore) {
  const StoreAddress address = value_or_throw(keep_server({.host = "127.0.0.1"}, kFirstJob));
  ASSERT_TRUE(client_of(address, kFirstJob)->set("k", "v").ok());
  EXPECT_EQ(value_or_throw(keep_server(address, kFirstJob)).port, address.port);
  EXPECT_EQ(*client_of(address, kFirstJob)->get("k"), "v");
  end_server(address, kFirstJob);
}

TEST(KeptServer, AnotherJob_atTheSameAddress_hasAStoreOfItsOwn) {
  const StoreAddress address = value_or_throw(keep_server({.host = "127.0.0.1"}, kFirstJob));
  const auto first = client_of(address, kFirstJob);
  ASSERT_TRUE(first->set("k", "v").ok());
  ASSERT_TRUE(keep_server(address, kSecondJob).ok());
  const auto second = client_of(address, kSecondJob);
  EXPECT_EQ(value_or_throw(second->get("k")), std::nullopt);
  EXPECT_TRUE(second->set("k", "w").ok());
  EXPECT_EQ(first->get("k").status().code(), ErrorCode::kPeerLost);
  end_server(address, kFirstJob);  // no longer there: leaves the second job's alone
  EXPECT_EQ(*second->get("k"), "w");
  end_server(address, kSecondJob);
}

}  // namespace
}  // namespace rondo::rendezvous
