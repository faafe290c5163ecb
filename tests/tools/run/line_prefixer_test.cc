#include "tools/rondo/run/line_prefixer.h"

#include <gtest/gtest.h>

namespace rondo::tool {
namespace {

std::string relayed(const std::string& prefix, const std::vector<std::string>& pieces) {
  LinePrefixer prefixer(prefix);
  std::string out;
  for (const auto& piece : pieces) prefixer.feed(piece, out);
  prefixer.finish(out);
  return out;
}

TEST(LinePrefixer, Lines_cutAnywhere_readTheSame) {
  using std::string_literals::operator""s;
  const std::string text = "one\n\ntwo\0three\r\n four\xff\n"s;
  const std::string whole = relayed("[3] ", {text});
  EXPECT_EQ(whole.substr(0, 13), "[3] one\n[3] \n");
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(relayed("[3] ", {text.substr(0, cut), text.substr(cut)}), whole);
  }
}

TEST(LinePrefixer, Line_incomplete_waitsForItsEnd) {
  LinePrefixer prefixer("[0] ");
  std::string out;
  prefixer.feed("a\nhalf", out);
  EXPECT_EQ(out, "[0] a\n");
  prefixer.feed(" and half\n", out);
  EXPECT_EQ(out, "[0] a\n[0] half and half\n");
}

TEST(LinePrefixer, LastLine_withoutEnd_getsOneOnlyWhereThereIsAPrefix) {
  EXPECT_EQ(relayed("[0] ", {"a\nb"}), "[0] a\n[0] b\n");
  EXPECT_EQ(relayed("", {"a\nb"}), "a\nb");
  EXPECT_EQ(relayed("[0] ", {"a\n"}), "[0] a\n");
}

TEST(LinePrefixer, Line_endless_isBroken) {
  LinePrefixer prefixer("[0] ");
  std::string out;
  prefixer.feed(std::string(LinePrefixer::kMaxLineBytes + 1, 'x'), out);
  EXPECT_EQ(out.size(), 4 + LinePrefixer::kMaxLineBytes + 1 + 1);
}

}  // namespace
}  // namespace rondo::tool
