#include "transport/rendezvous/pmi_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace rondo::rendezvous {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

TEST(PmiMessage, Message_encoded_isALine) {
  EXPECT_EQ(encode({.command = "barrier_in"}), "cmd=barrier_in\n");
  EXPECT_EQ(encode({.command = "put", .fields = {{"key", "k"}, {"value", ""}}}),
            "cmd=put key=k value=\n");
}

TEST(PmiMessage, Line_ofHydra_isParsed) {
  const auto message = parse_pmi_line("cmd=get_result rc=0 msg=success value=a=b:c/d%20 ");
  ASSERT_TRUE(message.ok()) << message.status().message();
  EXPECT_EQ(message->command, "get_result");
  EXPECT_THAT(message->fields,
              ElementsAre(Pair("rc", "0"), Pair("msg", "success"), Pair("value", "a=b:c/d%20")));
  EXPECT_EQ(*message->find("value"), "a=b:c/d%20");
  EXPECT_EQ(message->find("val"), nullptr);
}

TEST(PmiMessage, Line_thatIsNone_isDataLossThatQuotesIt) {
  for (const std::string line : {"", " ", "cmd", "rc=0 cmd=maxes", "cmd=maxes rc", "cmd=maxes =3",
                                 "HTTP/1.1 400 Bad Request", "cmd=maxes\trc=0", "cmd=maxes rc=0\r",
                                 "cmd=\x1b[2J", "cmd=\xff"}) {
    const auto message = parse_pmi_line(line);
    EXPECT_EQ(message.status().code(), ErrorCode::kDataLoss) << line;
    EXPECT_THAT(message.status().message(), HasSubstr("got '"));
    EXPECT_THAT(message.status().message(), Not(HasSubstr("\x1b")));
  }
}

TEST(PmiReader, Bytes_oneByOne_becomeMessages) {
  PmiReader reader;
  std::vector<std::string> commands;
  for (const char c : std::string("cmd=maxes keylen_max=64\ncmd=barrier_out\n")) {
    reader.feed(std::string_view(&c, 1));
    const auto message = reader.next();
    ASSERT_TRUE(message.ok());
    if (*message) commands.push_back((*message)->command);
  }
  EXPECT_THAT(commands, ElementsAre("maxes", "barrier_out"));
}

TEST(PmiReader, Bytes_ofTwoMessagesAtOnce_areTwoMessages) {
  PmiReader reader;
  reader.feed("cmd=a\ncmd=b\ncmd=");
  EXPECT_EQ((*reader.next())->command, "a");
  EXPECT_EQ((*reader.next())->command, "b");
  EXPECT_FALSE(reader.next()->has_value());
}

TEST(PmiReader, Line_tooLong_isDataLossBeforeItEnds) {
  const std::string start = "cmd=get_result value=";
  const std::string fits = start + std::string(kMaxPmiLineBytes - start.size() - 1, 'x');
  PmiReader reader;
  reader.feed(fits + "\n");
  EXPECT_TRUE(reader.next().ok());
  reader.feed(fits);
  EXPECT_TRUE(reader.next().ok()) << "its end may come";
  reader.feed("x");
  const auto message = reader.next();
  EXPECT_EQ(message.status().code(), ErrorCode::kDataLoss);
  EXPECT_THAT(message.status().message(), HasSubstr("at most 4096 bytes"));
  EXPECT_LT(message.status().message().size(), 300U);
  reader.feed("\n");
  EXPECT_EQ(reader.next().status().code(), ErrorCode::kDataLoss) << "also where it has ended";
}

TEST(PmiReader, Bytes_random_areMessagesOrDataLoss) {
  std::mt19937 random(7);
  const std::string_view letters =
      "cmd=== \n\n\0x\xff"
      "a1";
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = round % 2 == 0 ? "cmd=put key=a value=b\n" : "";
    const std::size_t changes = random() % 12;
    for (std::size_t i = 0; i < changes; ++i) {
      bytes.insert(random() % (bytes.size() + 1), 1, letters[random() % letters.size()]);
    }
    PmiReader reader;
    reader.feed(bytes);
    for (auto message = reader.next(); message.ok() && *message; message = reader.next()) {
      const std::string line = encode(**message);
      const auto again = parse_pmi_line(std::string_view(line).substr(0, line.size() - 1));
      ASSERT_TRUE(again.ok()) << line;
      EXPECT_EQ(again->fields, (*message)->fields);
    }
  }
}

}  // namespace
}  // namespace rondo::rendezvous
