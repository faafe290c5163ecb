#include "transport/rendezvous/pmi_meeting.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/transport/rendezvous/fake_pmi_server.h"
#include "transport/rendezvous/complete_launch.h"
#include "transport/rendezvous/open_store.h"

namespace rondo::rendezvous {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

Deadline in(milliseconds time) { return std::chrono::steady_clock::now() + time; }

Launch process(int index, int count) {
  return {.launcher = Launcher::kPmi, .process_index = index, .process_count = count};
}

/// Process `index` of hosts with `per_host` processes each.
Meeting on_host(int index, int per_host) {
  return {.host_identity = fmt::format("host {}", index / per_host),
          .own_address = [](bool one_host) -> Result<std::string> {
            return std::string(one_host ? "127.0.0.1" : "127.0.0.2");
          }};
}

using Meetings = std::vector<Meeting>;

/// What each process gets; those whose meeting has no address don't come.
std::vector<Result<Launch>> meet_all(FakePmiServer& server, const Meetings& meetings,
                                     milliseconds time) {
  const auto count = static_cast<int>(meetings.size());
  std::vector<Result<Launch>> met(meetings.size(), Status(ErrorCode::kInternal, "not there"));
  std::vector<std::thread> threads;
  for (int index = 0; index < count; ++index) {
    const Meeting& meeting = meetings[static_cast<std::size_t>(index)];
    if (!meeting.own_address) continue;
    threads.emplace_back([&, index] {
      const auto client =
          value_or_throw(PmiClient::connect(server.endpoint(index), in(seconds(20))));
      met[static_cast<std::size_t>(index)] =
          meet_by_pmi(*client, process(index, count), meeting, in(time));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return met;
}

TEST(PmiMeeting, Processes_ofOneJob_meetInTheStoreOfProcess0) {
  for (const int per_host : {4, 2}) {
    FakePmiServer server(4, {.value_bytes = 32});
    const auto met = meet_all(
        server,
        {on_host(0, per_host), on_host(1, per_host), on_host(2, per_host), on_host(3, per_host)},
        seconds(20));
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) {
      const auto& launch = met[static_cast<std::size_t>(index)];
      ASSERT_TRUE(launch.ok()) << launch.status().message();
      EXPECT_EQ(launch->job, met[0]->job);
      EXPECT_EQ(launch->process_index, index);
      EXPECT_THAT(launch->store_address, StartsWith(per_host == 4 ? "127.0.0.1:" : "127.0.0.2:"));
      threads.emplace_back([&launch, index] {
        const auto store = value_or_throw(open_store(*launch, in(seconds(20))));
        const auto all = store->all_gather("who", index, 4, std::to_string(index), in(seconds(20)));
        ASSERT_TRUE(all.ok()) << all.status().message();
        EXPECT_THAT(*all, testing::ElementsAre("0", "1", "2", "3"));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(PmiMeeting, Jobs_differ) {
  FakePmiServer first(1);
  FakePmiServer second(1);
  const auto a = meet_all(first, {on_host(0, 1)}, seconds(20));
  const auto b = meet_all(second, {on_host(0, 1)}, seconds(20));
  EXPECT_NE(a[0]->job, b[0]->job);
  EXPECT_NE(a[0]->store_address, b[0]->store_address);
}

TEST(PmiMeeting, Process0_thatCantServe_isEverybodysErrorAtOnce) {
  FakePmiServer server(2);
  Meetings meetings = {on_host(0, 2), on_host(1, 2)};
  meetings[0].own_address = [](bool) -> Result<std::string> {
    return Status(ErrorCode::kInvalidArgument, "\"eth9\" is no interface");
  };
  for (const auto& launch : meet_all(server, meetings, seconds(600))) {
    EXPECT_EQ(launch.status().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(launch.status().culprit(), 0);
    EXPECT_THAT(launch.status().message(),
                HasSubstr("process 0 cannot serve the job's store: \"eth9\" is no interface"));
  }
}

TEST(PmiMeeting, Process_thatDoesntCome_isATimeoutOfTheOthers) {
  FakePmiServer server(3);
  const auto met = meet_all(server, {on_host(0, 3), {}, on_host(2, 3)}, seconds(2));
  for (const std::size_t index : {0U, 2U}) {
    EXPECT_EQ(met[index].status().code(), ErrorCode::kTimeout);
    EXPECT_THAT(met[index].status().message(), HasSubstr("not every process of the job has come"));
  }
}

TEST(PmiMeeting, Process_thatPublishesNothing_isNamed) {
  FakePmiServer server(2, {.mischief = [](int index, const PmiMessage& message) {
                         const bool loses = index == 1 && message.command == "put";
                         return loses ? std::optional<std::string>("cmd=put_result rc=0\n")
                                      : std::nullopt;
                       }});
  for (const auto& launch : meet_all(server, {on_host(0, 2), on_host(1, 2)}, seconds(600))) {
    EXPECT_EQ(launch.status().code(), ErrorCode::kMismatch);
    EXPECT_THAT(launch.status().message(), HasSubstr("process 1 has come"));
  }
}

TEST(PmiMeeting, Invitation_ofAnotherVersion_isDataLoss) {
  for (const std::string value : {".", ".%ff%ff%00%00", ".hello"}) {
    FakePmiServer server(1, {.mischief = [&](int, const PmiMessage& message) {
                           const bool asks = message.command == "get";
                           return asks ? std::optional("cmd=get_result rc=0 value=" + value + "\n")
                                       : std::nullopt;
                         }});
    const auto met = meet_all(server, {on_host(0, 1)}, seconds(20));
    EXPECT_EQ(met[0].status().code(), ErrorCode::kDataLoss) << value;
  }
}

// The launcher of this process can be asked once only, so that this is one test.
TEST(CompleteLaunch, Launcher_isAskedOnceAndOnlyForPmi) {
  const Launch alone{.job = 5};
  EXPECT_EQ(complete_launch(alone, {}, in(seconds(1)))->job, 5U);
  const Launch of_one{.launcher = Launcher::kPmi, .job = 6};
  EXPECT_EQ(complete_launch(of_one, {}, in(seconds(1)))->job, 6U) << "nobody is asked";
  const FakePmiServer server(1, {.at_port = true});
  const Launch at_port{.launcher = Launcher::kPmi, .process_count = 0, .pmi = server.endpoint(0)};
  for (int round = 0; round < 2; ++round) {
    const auto launch = complete_launch(at_port, {}, in(seconds(20)));
    ASSERT_TRUE(launch.ok()) << launch.status().message();
    EXPECT_EQ(launch->process_count, 1);
  }
  EXPECT_THAT(server.heard(0), testing::Contains("init").Times(1));
}

}  // namespace
}  // namespace rondo::rendezvous
