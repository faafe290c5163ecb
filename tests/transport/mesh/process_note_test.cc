#include "transport/mesh/process_note.h"

#include <gtest/gtest.h>

namespace rondo::transport {
namespace {

TEST(ProcessNote, EncodeThenDecode_GivesTheSame) {
  const ProcessNote note{
      {0, 2, 4096},
      {{"RONDO_ALGO", "ring"}, {"RONDO_TRANSPORT", "\"auto\""}},
      {{"host", "0", ""}, {"cuda", "9f3c", "nccl 2.28.9", true, {"88aa", "17e0"}}},
      0xfedcba9876543210};
  const auto decoded = decode_note(encode(note));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->cores, note.cores);
  EXPECT_EQ(decoded->options, note.options);
  EXPECT_EQ(decoded->places, note.places);
  EXPECT_EQ(decoded->job, note.job);
}

TEST(ProcessNote, OptionThatIsNoUtf8_DoesNotThrow) {
  EXPECT_TRUE(decode_note(encode({{0}, {{"RONDO_ALGO", "r\xffng"}}, {}})).ok());
}

TEST(ProcessNote, Garbage_IsDataLoss) {
  for (const char* text :
       {"", "[]", "{}", R"({"cores":[0]})", R"({"cores":3,"options":{}})",
        R"({"cores":[-1],"options":{}})", R"({"cores":["a"],"options":{}})",
        R"({"cores":[0],"options":{"a":1}})", R"({"cores":[0],"options":[]})",
        R"({"cores":[0],"options":{}})", R"({"cores":[],"options":{},"job":1,"places":1})",
        R"({"cores":[],"options":{},"job":1,"places":[1]})",
        R"({"cores":[],"options":{},"job":1,"places":[{"kind":"host","device":"0","library":2}]})",
        R"({"cores":[],"options":{},"job":1,"places":[{"kind":"host","device":"0"}]})",
        R"({"cores":[],"options":{},"job":1,"places":[{"kind":"host","device":"0","library":""}]})",
        R"({"cores":[],"options":{},"job":1,"places":[{"kind":"host","device":"0","library":"",
            "sees_host_memory":0,"unreachable":[]}]})",
        R"({"cores":[],"options":{},"job":1,"places":[{"kind":"host","device":"0","library":"",
            "sees_host_memory":true,"unreachable":"1"}]})",
        R"({"cores":[],"options":{},"job":1,"places":[{"kind":"host","device":"0","library":"",
            "sees_host_memory":true,"unreachable":[1]}]})"}) {
    EXPECT_EQ(decode_note(text).status().code(), ErrorCode::kDataLoss) << text;
  }
}

TEST(ProcessNote, OptionsThatDiffer_NameBothRanksAndValues) {
  const ProcessNote first{{}, {{"RONDO_ALGO", "auto"}}};
  EXPECT_TRUE(check_options(first, first, 3).ok());
  const Status status = check_options(first, {{}, {{"RONDO_ALGO", "ring"}}}, 3);
  EXPECT_EQ(status.code(), ErrorCode::kMismatch);
  EXPECT_EQ(status.message(),
            "rank 0 was told RONDO_ALGO=auto, rank 3 RONDO_ALGO=ring: it must be equal on all "
            "ranks");
}

}  // namespace
}  // namespace rondo::transport
