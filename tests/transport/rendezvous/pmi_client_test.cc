#include "transport/rendezvous/pmi_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "tests/transport/rendezvous/fake_pmi_server.h"

namespace rondo::rendezvous {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Deadline in(milliseconds time) { return std::chrono::steady_clock::now() + time; }

FakePmiServer::Mischief answer_to(const std::string& command, const std::string& instead) {
  return [=](int, const PmiMessage& message) {
    return message.command == command ? std::optional(instead) : std::nullopt;
  };
}

/// For a launcher that stays silent; long enough for the answers before.
constexpr milliseconds kSoon{1500};

/// All that a client does; the first error.
Status converse(const PmiEndpoint& endpoint, milliseconds time) {
  RONDO_ASSIGN(const auto client, PmiClient::connect(endpoint, in(time)));
  RONDO_TRY(client->put("name", "value", in(time)));
  RONDO_TRY(client->barrier(in(time)));
  return client->get("name", in(time)).status();
}

/// What a client meets whose launcher answers `command` with `instead`.
Status converse_about(const std::string& command, const std::string& instead,
                      milliseconds time = seconds(20)) {
  const FakePmiServer server(1, {.mischief = answer_to(command, instead)});
  return converse(server.endpoint(0), time);
}

const std::vector<std::pair<std::string, std::string>> kCommands = {
    {"init", "response_to_init"}, {"get_maxes", "maxes"},        {"get_my_kvsname", "my_kvsname"},
    {"put", "put_result"},        {"barrier_in", "barrier_out"}, {"get", "get_result"}};

TEST(PmiClient, Values_ofAnyBytesAndLength_areSeenByAllAfterTheBarrier) {
  for (const int value_bytes : {16, 100, 1024, 100'000}) {
    const FakePmiServer server(3, {.value_bytes = value_bytes});
    std::vector<std::thread> threads;
    for (int index = 0; index < 3; ++index) {
      threads.emplace_back([&server, index] {
        const auto client =
            value_or_throw(PmiClient::connect(server.endpoint(index), in(seconds(20))));
        const auto value_of = [](int owner) {
          return fmt::format("of {}\n= ", owner) +
                 std::string(static_cast<std::size_t>(2000 * owner), '\0');
        };
        const auto name = [](int owner) { return fmt::format("v-{}", owner); };
        EXPECT_TRUE(client->put(name(index), value_of(index), in(seconds(20))).ok());
        EXPECT_TRUE(client->barrier(in(seconds(20))).ok());
        for (int owner = 0; owner < 3; ++owner) {
          const auto value = client->get(name(owner), in(seconds(20)));
          ASSERT_TRUE(value.ok()) << value.status().message();
          EXPECT_EQ(*value, value_of(owner));
        }
        EXPECT_EQ(value_or_throw(client->get("nobody's", in(seconds(20)))), std::nullopt);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(server.longest_line(), kPmiLineBytes) << "srun reads no longer lines";
  }
}

TEST(PmiClient, Launcher_silent_isATimeoutThatNamesIt) {
  for (const auto& [command, answer] : kCommands) {
    const Status status = converse_about(command, "", kSoon);
    EXPECT_EQ(status.code(), ErrorCode::kTimeout) << command;
    EXPECT_THAT(status.message(), HasSubstr("the fake (PMI_FD="));
    if (command == "barrier_in") {
      EXPECT_THAT(status.message(), HasSubstr("not every process of the job has come"));
    } else {
      EXPECT_THAT(status.message(), HasSubstr(answer + "': it does not answer"));
    }
  }
}

TEST(PmiClient, Launcher_closing_isAnErrorThatNamesIt) {
  for (const auto& [command, answer] : kCommands) {
    const Status status = converse_about(command, FakePmiServer::kHangUp);
    EXPECT_EQ(status.code(), ErrorCode::kSystem) << command;
    EXPECT_THAT(status.message(), HasSubstr("the fake (PMI_FD="));
    EXPECT_THAT(status.message(), HasSubstr(answer + "': it has closed the connection"));
  }
}

TEST(PmiClient, Launcher_answeringSomethingElse_isDataLossThatQuotesIt) {
  for (const auto& [command, answer] : kCommands) {
    for (const std::string instead : {"nonsense", "cmd=other", "rc=0"}) {
      const Status status = converse_about(command, instead + "\n");
      EXPECT_EQ(status.code(), ErrorCode::kDataLoss) << command << ": " << instead;
      EXPECT_THAT(status.message(), HasSubstr("the fake (PMI_FD="));
      const std::string said = instead == "cmd=other" ? "'other'" : "'" + instead + "'";
      EXPECT_THAT(status.message(), HasSubstr(said));
    }
    const Status endless = converse_about(command, std::string(2 * kMaxPmiLineBytes, 'x'));
    EXPECT_EQ(endless.code(), ErrorCode::kDataLoss) << command;
  }
}

TEST(PmiClient, Launcher_refusing_isSystemWithItsReason) {
  for (const auto& [command, answer] : kCommands) {
    if (command == "init" || command == "get") continue;
    const Status status = converse_about(command, "cmd=" + answer + " rc=-1 msg=no_way\n");
    EXPECT_EQ(status.code(), ErrorCode::kSystem) << command;
    EXPECT_THAT(status.message(), HasSubstr("refuses '" + command + "' (rc=-1, msg=no_way)"));
  }
}

TEST(PmiClient, Launcher_ofAnotherVersion_isUnsupported) {
  for (const std::string answer :
       {"pmi_version=2 pmi_subversion=0 rc=0", "pmi_version=1 rc=-1", "rc=0"}) {
    const Status status = converse_about("init", "cmd=response_to_init " + answer + "\n");
    EXPECT_EQ(status.code(), ErrorCode::kUnsupported) << answer;
    EXPECT_THAT(status.message(), HasSubstr("expected '1'"));
  }
}

TEST(PmiClient, Launcher_withUnusableLimits_isAnError) {
  const std::vector<std::pair<std::string, ErrorCode>> limits = {
      {"keylen_max=64", ErrorCode::kDataLoss},
      {"vallen_max=1024", ErrorCode::kDataLoss},
      {"keylen_max=3 vallen_max=1024", ErrorCode::kDataLoss},
      {"keylen_max=64 vallen_max=15", ErrorCode::kDataLoss},
      {"keylen_max=64 vallen_max=99999999999", ErrorCode::kDataLoss},
      {"keylen_max=64 vallen_max=-1", ErrorCode::kDataLoss},
      {"keylen_max=64 vallen_max=1024x", ErrorCode::kDataLoss},
      {"keylen_max=2000 vallen_max=1024", ErrorCode::kUnsupported},
  };
  for (const auto& [limit, code] : limits) {
    const Status status = converse_about("get_maxes", "cmd=maxes " + limit + "\n");
    EXPECT_EQ(status.code(), code) << limit;
  }
  EXPECT_EQ(converse_about("get_my_kvsname", "cmd=my_kvsname\n").code(), ErrorCode::kDataLoss);
}

TEST(PmiClient, Value_damagedOnItsWay_isDataLoss) {
  for (const std::string answer : {"rc=0", "rc=0 value=abc", "rc=0 value=.%z", "rc=0 value=+"}) {
    const Status status = converse_about("get", "cmd=get_result " + answer + "\n");
    EXPECT_EQ(status.code(), ErrorCode::kDataLoss) << answer;
  }
  const FakePmiServer server(
      1, {.mischief = [](int, const PmiMessage& message) {
        const std::string* key = message.find("key");
        const bool second = message.command == "get" && *key == "name-1";
        return message.command == "get"
                   ? std::optional<std::string>(second ? "cmd=get_result rc=1\n"
                                                       : "cmd=get_result rc=0 value=+abc\n")
                   : std::nullopt;
      }});
  const Status lost = converse(server.endpoint(0), seconds(20));
  EXPECT_EQ(lost.code(), ErrorCode::kDataLoss);
  EXPECT_THAT(lost.message(), HasSubstr("has lost the value of 'name-1'"));
}

TEST(PmiClient, Conversation_brokenOff_staysSo) {
  const FakePmiServer server(1, {.mischief = answer_to("put", "")});
  const auto client = value_or_throw(PmiClient::connect(server.endpoint(0), in(seconds(20))));
  const Status first = client->put("name", "value", in(milliseconds(20)));
  EXPECT_EQ(client->barrier(in(seconds(20))).code(), ErrorCode::kTimeout);
  EXPECT_EQ(client->get("name", in(seconds(20))).status().message(), first.message());
  EXPECT_THAT(server.heard(0), Not(Contains("barrier_in")));
}

TEST(PmiClient, Key_tooLong_isUnsupported) {
  const FakePmiServer server(1);
  const auto client = value_or_throw(PmiClient::connect(server.endpoint(0), in(seconds(20))));
  EXPECT_TRUE(client->put(std::string(61, 'k'), "", in(seconds(20))).ok());
  EXPECT_EQ(client->put(std::string(62, 'k'), "", in(seconds(20))).code(), ErrorCode::kUnsupported);
}

TEST(PmiClient, End_ofAClient_isHeardByTheLauncherAlsoAfterATimeout) {
  for (const std::string silent_at : {"nothing", "barrier_in"}) {
    const FakePmiServer server(1, {.mischief = answer_to(silent_at, "")});
    const Status status =
        converse(server.endpoint(0), silent_at == "nothing" ? seconds(20) : kSoon);
    EXPECT_EQ(status.ok(), silent_at == "nothing");
    EXPECT_EQ(server.heard(0).back(), "finalize") << silent_at;
  }
}

TEST(PmiClient, End_withALauncherThatHangs_comesSoon) {
  const FakePmiServer server(1, {.mischief = answer_to("finalize", "")});
  EXPECT_TRUE(converse(server.endpoint(0), seconds(20)).ok());
}

TEST(PmiClient, Descriptor_isLeftOpenAndBlockingButNotInherited) {
  const FakePmiServer server(1);
  const int fd = server.endpoint(0).fd;
  EXPECT_TRUE(converse(server.endpoint(0), seconds(20)).ok());
  EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
}

TEST(PmiClient, Descriptor_replacedByAnotherFile_isNotWrittenTo) {
  const FakePmiServer server(1);
  const PmiEndpoint endpoint = server.endpoint(0);
  auto client = value_or_throw(PmiClient::connect(endpoint, in(seconds(20))));
  std::array<int, 2> others{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, others.data()), 0);
  ASSERT_EQ(dup2(others[0], endpoint.fd), endpoint.fd);
  client.reset();
  char byte = 0;
  EXPECT_EQ(recv(others[1], &byte, 1, MSG_DONTWAIT), -1) << "somebody wrote into it";
  close(others[0]);
  close(others[1]);
}

TEST(PmiClient, Child_forked_saysNoGoodbye) {
  const FakePmiServer server(1);
  auto client = value_or_throw(PmiClient::connect(server.endpoint(0), in(seconds(20))));
  const pid_t child = fork();
  if (child == 0) {
    client.reset();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(client->barrier(in(seconds(20))).ok()) << "after what the child may have said";
  EXPECT_THAT(server.heard(0), Not(Contains("finalize")));
}

TEST(PmiClient, Endpoint_thatIsNoSocket_isInvalidArgument) {
  const UniqueFd file(open("/dev/null", O_RDWR | O_CLOEXEC));
  const int closed = dup(file.get());
  close(closed);
  for (const int fd : {file.get(), closed}) {
    const Status status = converse({.launcher = "srun", .fd = fd}, seconds(20));
    EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(fmt::format("cannot reach srun (PMI_FD={})", fd)));
  }
  EXPECT_EQ(converse({.address = "nowhere"}, seconds(20)).code(), ErrorCode::kInvalidArgument);
}

TEST(PmiClient, Launcher_atAPort_saysWhichProcessThisIs) {
  const FakePmiServer server(1, {.at_port = true});
  const auto client = value_or_throw(PmiClient::connect(server.endpoint(0), in(seconds(20))));
  ASSERT_TRUE(client->place().has_value());
  EXPECT_EQ(client->place()->index, 0);
  EXPECT_EQ(client->place()->count, 1);
  EXPECT_TRUE(client->barrier(in(seconds(20))).ok());
}

TEST(PmiClient, Launcher_atAPortTalkingNonsense_isDataLoss) {
  for (const std::string said :
       {"cmd=set size=2\ncmd=set rank=2\ncmd=set debug=0\n",
        "cmd=set size=0\ncmd=set rank=0\ncmd=set debug=0\n",
        "cmd=set rank=0\ncmd=set size=1\ncmd=set debug=0\n", "cmd=barrier_out\n"}) {
    const FakePmiServer server(
        1, {.at_port = true, .mischief = answer_to("initack", "cmd=initack\n" + said)});
    EXPECT_EQ(converse(server.endpoint(0), seconds(20)).code(), ErrorCode::kDataLoss) << said;
  }
}

TEST(PmiClient, Port_thatNobodyListensAt_isSystemThatNamesIt) {
  PmiEndpoint nobody;
  {
    const FakePmiServer server(1, {.at_port = true});
    nobody = server.endpoint(0);
  }
  const Status status = converse(nobody, seconds(20));
  EXPECT_EQ(status.code(), ErrorCode::kSystem);
  EXPECT_THAT(status.message(), HasSubstr("PMI_PORT=127.0.0.1:"));
  EXPECT_THAT(status.message(), HasSubstr("cannot connect"));
}

}  // namespace
}  // namespace rondo::rendezvous
