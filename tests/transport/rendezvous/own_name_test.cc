#include "transport/rendezvous/own_name.h"

#include <gtest/gtest.h>
#include <limits.h>
#include <unistd.h>

#include <array>

namespace rondo::rendezvous {
namespace {

TEST(OwnName, Hostname_withAndWithoutDomain_isIt) {
  std::array<char, HOST_NAME_MAX + 1> name{};
  ASSERT_EQ(gethostname(name.data(), name.size() - 1), 0);
  const std::string own = name.data();
  const std::string host = own.substr(0, own.find('.'));
  if (host == "localhost") GTEST_SKIP() << "this host has no name of its own";
  EXPECT_TRUE(is_own_name(own));
  EXPECT_TRUE(is_own_name(host));
  EXPECT_TRUE(is_own_name(host + ".example"));
  EXPECT_FALSE(is_own_name(host + "2"));
}

TEST(OwnName, LocalhostAndAddresses_areNot) {
  for (const char* other : {"localhost", "localhost.localdomain", "127.0.1.1", "::1", ""})
    EXPECT_FALSE(is_own_name(other)) << other;
}

}  // namespace
}  // namespace rondo::rendezvous
