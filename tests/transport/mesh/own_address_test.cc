#include "transport/mesh/own_address.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <unistd.h>

#include <deque>
#include <string>

#include "transport/rendezvous/own_name.h"

namespace rondo::transport {
namespace {

TEST(OwnAddress, OneHost_IsLoopback) { EXPECT_EQ(*own_address("", true, {}), "127.0.0.1"); }

TEST(OwnAddress, Interface_IsItsAddress) { EXPECT_EQ(*own_address("lo", false, {}), "127.0.0.1"); }

TEST(OwnAddress, StoreOnThisHost_IsTheAddressTowardsIt) {
  EXPECT_EQ(*own_address("", false, {.store_address = "127.0.0.1:5"}), "127.0.0.1");
}

TEST(OwnAddress, StoreAtOwnName_IsNotLoopbackWhereThereIsAnother) {
  char name[HOST_NAME_MAX + 1] = {};
  ASSERT_EQ(gethostname(name, sizeof name - 1), 0);
  ifaddrs* list = nullptr;
  ASSERT_EQ(getifaddrs(&list), 0);
  const bool alone = outward_interface(list).empty();
  freeifaddrs(list);
  if (alone || !rendezvous::is_own_name(name)) GTEST_SKIP() << "no interface or no name";
  const auto address = own_address("", false, {.store_address = std::string(name) + ":5"});
  if (!address.ok()) GTEST_SKIP() << address.status().to_string();
  EXPECT_THAT(*address, testing::Not(testing::AnyOf(testing::StartsWith("127."), "::1")));
}

/// What getifaddrs would list.
class Interfaces {
 public:
  void add(const char* name, const char* ip, unsigned flags = IFF_UP) {
    Entry& entry = entries_.emplace_back();
    entry.name = name;
    const bool v6 = inet_pton(AF_INET6, ip, &entry.v6.sin6_addr) == 1;
    entry.v6.sin6_family = v6 ? AF_INET6 : AF_INET;
    entry.list.ifa_name = entry.name.data();
    entry.list.ifa_flags = flags;
    entry.list.ifa_addr = reinterpret_cast<sockaddr*>(&entry.v6);
    if (entries_.size() > 1) entries_[entries_.size() - 2].list.ifa_next = &entry.list;
  }
  const ifaddrs* list() const { return entries_.empty() ? nullptr : &entries_.front().list; }

 private:
  struct Entry {
    std::string name;
    sockaddr_in6 v6{};
    ifaddrs list{};
  };
  std::deque<Entry> entries_;  // which leaves them where they are
};

TEST(OutwardInterface, Ipv6Alone_IsTaken) {
  Interfaces host;
  host.add("lo", "127.0.0.1", IFF_UP | IFF_LOOPBACK);
  host.add("lo", "::1", IFF_UP | IFF_LOOPBACK);
  host.add("eth0", "fe80::1");
  EXPECT_EQ(outward_interface(host.list()), "");
  host.add("docker0", "2001:db8::2");
  host.add("eth1", "2001:db8::3", 0);
  EXPECT_EQ(outward_interface(host.list()), "");
  host.add("eth2", "2001:db8::4");
  host.add("eth3", "2001:db8::5");
  EXPECT_EQ(outward_interface(host.list()), "eth2");
}

TEST(OutwardInterface, Ipv4_GoesBeforeIpv6) {
  Interfaces host;
  EXPECT_EQ(outward_interface(host.list()), "");
  host.add("eth0", "2001:db8::3");
  host.add("br-1", "192.0.2.1");
  host.add("eth1", "192.0.2.2");
  EXPECT_EQ(outward_interface(host.list()), "eth1");
}

TEST(OwnAddress, EveryInterface_IsRefusedSincePeersCantDialIt) {
  for (const char* every : {"0.0.0.0", "::"}) {
    const auto address = own_address(every, true, {});
    ASSERT_FALSE(address.ok());
    EXPECT_EQ(address.status().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(address.status().message(), testing::HasSubstr("RONDO_IFACE"));
  }
}

TEST(OwnAddress, UnknownInterface_ListsThoseThereAre) {
  const auto address = own_address("eth99", false, {});
  ASSERT_FALSE(address.ok());
  EXPECT_THAT(address.status().message(), testing::HasSubstr("lo"));
}

}  // namespace
}  // namespace rondo::transport
