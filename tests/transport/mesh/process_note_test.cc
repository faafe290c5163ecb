#include "transport/mesh/process_note.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace rondo::transport {
namespace {

TEST(ProcessNote, EncodeThenDecode_GivesTheSame) {
  device::Reductions reductions;
  reductions.add(DataType::kI8, ReduceOp::kBitXor);
  reductions.add(DataType::kF64, ReduceOp::kSum);
  const ProcessNote note{
      {0, 2, 4096},
      {{"RONDO_ALGO", "ring"}, {"RONDO_TRANSPORT", "\"auto\""}},
      {{"host", "0", ""},
       {"cuda", "9f3c", "nccl 2.28.9", true, {"88aa", "17e0"}, true, true, reductions}},
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
        R"({"cores":[],"options":{},"job":1,"places":[{"kind":"host","device":"0"}]})"}) {
    EXPECT_EQ(decode_note(text).status().code(), ErrorCode::kDataLoss) << text;
  }
}

TEST(ProcessNote, PlaceThatIsDamaged_IsDataLoss) {
  const PlaceNote place{.kind = "cuda", .sees_host_memory = true, .unreachable = {"88aa"}};
  const std::string whole = encode({{0}, {}, {place}, 1});
  const std::string reductions = R"("reductions":[0,0,0,0,0,0,0,0,0,0])";
  const std::vector<std::pair<std::string, std::string>> damages = {
      {R"("sees_host_memory":true)", R"("sees_host_memory":1)"},
      {R"("shares_between_processes":false)", R"("shares_between_processes":"")"},
      {R"("imports_own":false)", R"("imports":false)"},
      {R"("unreachable":["88aa"])", R"("unreachable":"88aa")"},
      {R"("unreachable":["88aa"])", R"("unreachable":[1])"},
      {reductions, R"("reductions":0)"},
      {reductions, R"("reductions":[0,0,0,0,0,0,0,0,0])"},
      {reductions, R"("reductions":[0,0,0,0,0,0,0,0,0,0,0])"},
      {reductions, R"("reductions":[0,0,0,0,256,0,0,0,0,0])"},
      {reductions, R"("reductions":[0,0,0,0,-1,0,0,0,0,0])"},
      {reductions, R"("reductions":[0,0,0,0,"",0,0,0,0,0])"}};
  ASSERT_TRUE(decode_note(whole).ok());
  for (const auto& [field, damaged] : damages) {
    const std::size_t begin = whole.find(field);
    ASSERT_NE(begin, std::string::npos) << field << " isn't in " << whole;
    const std::string text = std::string(whole).replace(begin, field.size(), damaged);
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
