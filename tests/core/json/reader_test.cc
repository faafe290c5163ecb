// Where mistakes are, and what messages quote of them.

#include "core/json/reader.h"

#include <gtest/gtest.h>

#include <string>

namespace rondo::json {
namespace {

std::string mistake_in(std::string_view text) {
  const auto document = Document::parse(text, "x");
  return document.ok() ? "none" : document.status().message();
}

/// Of a text where a number is expected.
std::string quote_of(const std::string& text) {
  auto document = Document::parse("{\"a\": \"" + text + "\"}", "x");
  if (!document.ok()) return document.status().message();
  document->root().at("a").number(0, 0, 1);
  return document->status().message();
}

TEST(JsonReader, NumbersOutOfRange_AreToldWhereTheyBegin) {
  EXPECT_EQ(mistake_in("1e400"), "x: a number is out of range at line 1, column 1");
  EXPECT_EQ(mistake_in("{\"a\": [1.5,\n   -1e999 ]}"),
            "x: a number is out of range at line 2, column 4");
  EXPECT_EQ(mistake_in("[0,\n1e308,12e308]"), "x: a number is out of range at line 2, column 7");
}

TEST(JsonReader, KeysForASecondTime_AreToldWhereTheyBegin) {
  EXPECT_EQ(mistake_in("{\"a\": 1,\n  \"b\": 2,\n  \"a\": 3}"),
            "x: an object has the key \"a\" for a second time at line 3, column 3");
  // Texts that look like keys, and keys with quotes, come before it.
  EXPECT_EQ(mistake_in(R"({"\"k\\": "k\":", "k": ["k", "\\"], "k": 0})"),
            "x: an object has the key \"k\" for a second time at line 1, column 37");
  EXPECT_EQ(mistake_in(R"({"k": {"k": {"l": 1}, "l": 2}, "l": [{"l": 3}, {"l": 4}]})"), "none")
      << "each object has keys of its own";
  EXPECT_EQ(mistake_in("{\"a\x7f\": 1, \"a\x7f\": 2}"),
            "x: an object has the key \"a?\" for a second time at line 1, column 11");
}

/// What is behind it may be no JSON, as of a file that was cut off.
TEST(JsonReader, TheFirstMistakeIsTold) {
  for (const std::string rest : {"", " \"open", ": 2", "]"})
    EXPECT_EQ(mistake_in("{\"a\": 1, \"a\"" + rest),
              "x: an object has the key \"a\" for a second time at line 1, column 10");
  EXPECT_EQ(mistake_in("{\"a\": 1e400, \"b\": 1, \"b\": 2}"),
            "x: a number is out of range at line 1, column 7");
  EXPECT_EQ(mistake_in("{\"a\": 1,, \"a\": 1e400}"), "x: not JSON at line 1, column 9");
}

TEST(JsonReader, WhatIsNoJson_IsToldByItsBegin_NotByItsBrackets) {
  const std::string brackets(100, '[');
  EXPECT_EQ(mistake_in(brackets), "x: nested more than 32 deep");
  EXPECT_EQ(mistake_in(" \n{\"a\": " + brackets), "x: nested more than 32 deep");
  const std::string said = mistake_in("\n  garbage" + brackets);
  EXPECT_NE(said.find("at line 2, column 3"), std::string::npos) << said;
  EXPECT_EQ(said.find("deep"), std::string::npos) << said;
}

TEST(JsonReader, QuotesEndBeforeACharacterThatHasNoRoom) {
  for (const std::string character : {"\u00e9", "\u20ac", "\U0001d11e"}) {
    for (std::size_t before = 0; before < character.size(); ++before) {
      std::string text(before, 'x');
      for (int i = 0; i < 40; ++i) text += character;
      const std::string message = quote_of(text);
      EXPECT_TRUE(is_name(message)) << message << " is UTF-8";
      EXPECT_TRUE(message.ends_with(character + "...")) << message;
    }
  }
  EXPECT_EQ(quote_of(std::string(38, 'x')),
            "x: a: expected a number from 0 to 1, got \"" + std::string(38, 'x') + "\"");
  EXPECT_EQ(quote_of(std::string(39, 'x')),
            "x: a: expected a number from 0 to 1, got \"" + std::string(39, 'x') + "...");
}

}  // namespace
}  // namespace rondo::json
