// What every store with shared keys promises, tried on all of them.

#include "transport/rendezvous/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>

#include "transport/rendezvous/memory_store.h"
#include "transport/rendezvous/tcp_store.h"
#include "transport/rendezvous/tcp_store_server.h"

namespace rondo::rendezvous {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;

Deadline in(milliseconds time) { return steady_clock::now() + time; }

/// Makes handles of one store.
using Handles = std::function<std::unique_ptr<Store>()>;

Handles memory_handles() {
  const auto table = std::make_shared<MemoryTable>();
  return [table] { return std::make_unique<MemoryStore>(table); };
}

Handles tcp_handles() {
  const std::shared_ptr<TcpStoreServer> server =
      value_or_throw(TcpStoreServer::listen("127.0.0.1", 0, 42));
  return [server] {
    return value_or_throw(TcpStore::connect(server->address(), 42, in(seconds(20))));
  };
}

struct Form {
  const char* name;
  Handles (*make)();
};

class StoreContract : public testing::TestWithParam<Form> {
 protected:
  Handles handles_ = GetParam().make();
  std::unique_ptr<Store> one_ = handles_();
  std::unique_ptr<Store> other_ = handles_();
};

INSTANTIATE_TEST_SUITE_P(AllForms, StoreContract,
                         testing::Values(Form{"memory", memory_handles}, Form{"tcp", tcp_handles}),
                         [](const auto& form) { return form.param.name; });

TEST_P(StoreContract, Value_setByOne_isSeenByTheOther) {
  const std::string bytes("\0\n\xff any", 7);
  EXPECT_FALSE(one_->get("k")->has_value());
  ASSERT_TRUE(one_->set("k", bytes).ok());
  EXPECT_EQ(*other_->get("k"), bytes);
  ASSERT_TRUE(other_->set("k", "").ok());
  EXPECT_EQ(*one_->get("k"), "");
  ASSERT_TRUE(one_->remove({"k"}).ok());
  EXPECT_FALSE(other_->get("k")->has_value());
}

TEST_P(StoreContract, Remove_ofManyKeys_leavesTheOthers) {
  std::vector<std::string> keys;
  for (int i = 0; i < 70; ++i) keys.push_back("k" + std::to_string(i));  // more than one request's
  for (const std::string& key : keys) ASSERT_TRUE(one_->set(key, "v").ok());
  const std::string kept = keys.back();
  keys.back() = "never set";
  ASSERT_TRUE(one_->remove(keys).ok());
  for (const std::string& key : keys) EXPECT_FALSE(other_->get(key)->has_value()) << key;
  EXPECT_EQ(*other_->get(kept), "v");
  EXPECT_TRUE(one_->remove({}).ok());
}

TEST_P(StoreContract, Entry_outOfBounds_isInvalidArgumentAndLeavesTheStoreUsable) {
  EXPECT_EQ(one_->set("", "v").code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(one_->set(std::string(257, 'k'), "v").code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(one_->set("k", std::string(65537, 'v')).code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(one_->set("k", std::string(65536, 'v')).ok());
}

TEST_P(StoreContract, Wait_keysComeLater_givesValuesInOrder) {
  std::jthread setter([this] {
    for (const char* key : {"c", "b", "a"}) EXPECT_TRUE(other_->set(key, key).ok());
  });
  const auto values = one_->wait({"a", "b", "c", "a"}, in(seconds(20)));
  ASSERT_TRUE(values.ok()) << values.status().message();
  EXPECT_THAT(*values, ElementsAre("a", "b", "c", "a"));
}

TEST_P(StoreContract, Wait_keysMissing_isTimeoutThatListsExactlyThose) {
  std::vector<std::string> keys;
  for (int i = 0; i < 150; ++i) {
    keys.push_back("key-" + std::to_string(i));
    if (i != 7 && i != 70 && i != 149) {
      ASSERT_TRUE(other_->set(keys.back(), "v").ok());
    }
  }
  const auto values = one_->wait(keys, in(milliseconds(1000)));
  EXPECT_EQ(values.status().code(), ErrorCode::kTimeout);
  EXPECT_EQ(values.status().message(), "not set in time: 'key-7', 'key-70', 'key-149'");
}

TEST_P(StoreContract, Add_fromManyThreads_losesNothing) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([store = std::shared_ptr<Store>(handles_())] {
      for (int k = 1; k <= 50; ++k) EXPECT_TRUE(store->add("n", k).ok());
    });
  }
  threads.clear();
  EXPECT_EQ(*one_->add("n", -100), 4 * 50 * 51 / 2 - 100);
}

TEST_P(StoreContract, CompareSet_expectationDecides) {
  EXPECT_EQ(*one_->compare_set("k", "x", "y"), "");
  EXPECT_EQ(*one_->compare_set("k", std::nullopt, "first"), "first");
  EXPECT_EQ(*other_->compare_set("k", std::nullopt, "second"), "first");
  EXPECT_EQ(*other_->compare_set("k", "first", "third"), "third");
  EXPECT_EQ(*one_->get("k"), "third");
}

TEST_P(StoreContract, Watch_valueChanges_returnsTheNewOne) {
  ASSERT_TRUE(one_->set("k", "old").ok());
  EXPECT_EQ(one_->watch("k", "old", in(milliseconds(30))).status().code(), ErrorCode::kTimeout);
  EXPECT_EQ(*one_->watch("k", "older", in(seconds(20))), "old");
  EXPECT_EQ(*one_->watch("k", std::nullopt, in(seconds(20))), "old");
  std::jthread setter([this] {
    EXPECT_TRUE(other_->set("k", "old").ok());
    EXPECT_TRUE(other_->set("k", "new").ok());
  });
  EXPECT_EQ(*one_->watch("k", "old", in(seconds(20))), "new");
}

TEST_P(StoreContract, AllGather_everyoneComes_givesAllValuesToAll) {
  constexpr int kWorld = 70;  // more than one request's keys
  std::vector<std::jthread> threads;
  for (int index = 0; index < kWorld; ++index) {
    threads.emplace_back([this, index] {
      const auto store = handles_();
      const auto values =
          store->all_gather("g", index, kWorld, "value " + std::to_string(index), in(seconds(60)));
      ASSERT_TRUE(values.ok()) << values.status().message();
      ASSERT_EQ(values->size(), static_cast<std::size_t>(kWorld));
      for (int i = 0; i < kWorld; ++i) {
        EXPECT_EQ((*values)[static_cast<std::size_t>(i)], "value " + std::to_string(i));
      }
    });
  }
}

TEST_P(StoreContract, AllGather_someStayAway_namesThem) {
  ASSERT_TRUE(other_->set("g/1", "v").ok());
  const auto values = one_->all_gather("g", 3, 4, "v", in(milliseconds(1000)));
  EXPECT_EQ(values.status().code(), ErrorCode::kTimeout);
  EXPECT_EQ(values.status().culprit(), 0);
  EXPECT_THAT(values.status().message(), HasSubstr("process 0 and 2 of 4 have not come"));
}

TEST_P(StoreContract, AllGather_anotherWorldThanTheFirst_isMismatchAtOnce) {
  EXPECT_FALSE(one_->all_gather("g", 0, 4, "v", in(milliseconds(100))).ok());
  const auto values = other_->all_gather("g", 2, 3, "v", in(seconds(60)));
  EXPECT_EQ(values.status().code(), ErrorCode::kMismatch);
  EXPECT_EQ(values.status().culprit(), 2);
  EXPECT_THAT(values.status().message(), HasSubstr("process 2 came to 'g' for a world of 3"));
  EXPECT_THAT(values.status().message(), HasSubstr("process 0, which came first, for one of 4"));
}

TEST_P(StoreContract, AllGather_indexTakenTwice_isMismatch) {
  EXPECT_FALSE(one_->all_gather("g", 1, 2, "mine", in(milliseconds(100))).ok());
  const auto values = other_->all_gather("g", 1, 2, "also mine", in(seconds(20)));
  EXPECT_EQ(values.status().code(), ErrorCode::kMismatch);
  EXPECT_EQ(values.status().culprit(), 1);
}

}  // namespace
}  // namespace rondo::rendezvous
