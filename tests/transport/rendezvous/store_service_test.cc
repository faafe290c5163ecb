#include "transport/rendezvous/store_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::rendezvous {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Request set(const std::string& key, const std::string& value) {
  return {.kind = RequestKind::kSet, .keys = {key}, .value = value};
}

Request wait_for(std::vector<std::string> keys) {
  Request request{.kind = RequestKind::kWait};
  request.keys = std::move(keys);
  return request;
}

TEST(StoreService, Wait_keysSetInAnyOrder_isAnsweredByTheLastOne) {
  StoreService service;
  EXPECT_FALSE(service.handle(1, wait_for({"a", "b", "c"})));
  for (const char* key : {"c", "a"}) {
    EXPECT_TRUE(service.handle(2, set(key, std::string("of ") + key)));
    EXPECT_THAT(service.take_ready(), IsEmpty());
  }
  EXPECT_TRUE(service.handle(2, set("b", "of b")));
  const auto ready = service.take_ready();
  ASSERT_EQ(ready.size(), 1U);
  EXPECT_EQ(ready[0].first, 1U);
  EXPECT_THAT(ready[0].second.values, ElementsAre("of a", "of b", "of c"));
}

TEST(StoreService, Wait_expired_listsExactlyTheMissing) {
  StoreService service;
  EXPECT_TRUE(service.handle(2, set("b", "x")));
  EXPECT_FALSE(service.handle(1, wait_for({"a", "b", "c"})));
  const Reply reply = service.expire(1);
  EXPECT_EQ(reply.code, ErrorCode::kTimeout);
  EXPECT_THAT(reply.values, ElementsAre("a", "c"));
  EXPECT_TRUE(service.handle(2, set("a", "x")));
  EXPECT_TRUE(service.handle(2, set("c", "x")));
  EXPECT_THAT(service.take_ready(), IsEmpty()) << "an expired wait must not be answered again";
}

TEST(StoreService, Client_dropped_isForgotten) {
  StoreService service;
  EXPECT_FALSE(service.handle(1, wait_for({"a"})));
  EXPECT_FALSE(service.handle(2, wait_for({"a"})));
  EXPECT_TRUE(service.handle(1, {.kind = RequestKind::kEnterGather}));
  EXPECT_EQ(service.gathering(), 1U);
  service.drop(1);
  EXPECT_EQ(service.gathering(), 0U);
  EXPECT_TRUE(service.handle(3, set("a", "x")));
  const auto ready = service.take_ready();
  ASSERT_EQ(ready.size(), 1U);
  EXPECT_EQ(ready[0].first, 2U);
}

TEST(StoreService, Wait_ofManyClients_isAnsweredToEach) {
  StoreService service;
  for (ClientId client = 1; client <= 100; ++client) {
    EXPECT_FALSE(service.handle(client, wait_for({"a", "b"})));
  }
  EXPECT_TRUE(service.handle(200, set("a", "x")));
  EXPECT_THAT(service.take_ready(), IsEmpty());
  EXPECT_TRUE(service.handle(200, set("b", "y")));
  EXPECT_EQ(service.take_ready().size(), 100U);
}

}  // namespace
}  // namespace rondo::rendezvous
