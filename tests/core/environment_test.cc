#include "core/environment.h"

#include <gtest/gtest.h>

#include "tests/core/scoped_variable.h"

namespace rondo {
namespace {

constexpr const char* kName = "RONDO_ENVIRONMENT_TEST";

Result<std::int64_t> read_with(const char* value) {
  const ScopedVariable variable(kName, value);
  return environment_integer(kName, 7, {-2, 100});
}

TEST(Environment, unsetOrEmpty_givesTheFallback) {
  EXPECT_FALSE(environment_text(kName).has_value());
  EXPECT_EQ(environment_integer(kName, 7, {0, 9}).value(), 7);
  EXPECT_TRUE(environment_flag(kName, true).value());
  const ScopedVariable variable(kName, "");
  EXPECT_FALSE(environment_text(kName).has_value());
  EXPECT_EQ(environment_integer(kName, 7, {0, 9}).value(), 7);
}

TEST(Environment, text_isTakenAsItIs) {
  const ScopedVariable variable(kName, " eth0,eth1 ");
  EXPECT_EQ(environment_text(kName).value(), " eth0,eth1 ");
}

TEST(Environment, integerInRange_isRead) {
  EXPECT_EQ(read_with("-2").value(), -2);
  EXPECT_EQ(read_with("0").value(), 0);
  EXPECT_EQ(read_with("100").value(), 100);
}

TEST(Environment, badInteger_namesVariableValueAndRange) {
  const Status status = read_with("101").status();
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "environment variable RONDO_ENVIRONMENT_TEST=\"101\" is not understood: allowed is an "
            "integer from -2 to 100");
  for (const char* bad : {"-3", "x", "1x", " 1", "1 ", "1.5", "99999999999999999999", "+"}) {
    EXPECT_FALSE(read_with(bad).ok()) << bad;
  }
}

TEST(Environment, flag_understandsEightWordsAndNoOther) {
  for (const char* yes : {"1", "on", "true", "yes"}) {
    const ScopedVariable variable(kName, yes);
    EXPECT_TRUE(environment_flag(kName, false).value()) << yes;
  }
  for (const char* no : {"0", "off", "false", "no"}) {
    const ScopedVariable variable(kName, no);
    EXPECT_FALSE(environment_flag(kName, true).value()) << no;
  }
  const ScopedVariable variable(kName, "maybe");
  EXPECT_EQ(environment_flag(kName, true).status().message(),
            "environment variable RONDO_ENVIRONMENT_TEST=\"maybe\" is not understood: allowed is "
            "1, on, true, yes or 0, off, false, no");
}

}  // namespace
}  // namespace rondo
