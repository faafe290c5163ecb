// Variables that are misspelt: which they are, what is meant, and that it is said once.

#include "core/environment_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/log.h"
#include "tests/core/scoped_variable.h"

namespace rondo {
namespace {

std::string unknown_of(std::vector<const char*> entries) {
  entries.push_back(nullptr);
  return unknown_variables(entries.data());
}

TEST(EnvironmentNames, Misspelt_AreToldWithWhatIsMeant) {
  EXPECT_EQ(unknown_of({"RONDO_TRANSPROT=tcp", "RONDO_FOO=1", "RONDO_ALGORITHM=ring",
                        "RONDO_AGLO=ring", "RONDO_TCPSOCKETS=", "RONDO_TIMEOUT=5"}),
            "RONDO_AGLO (RONDO_ALGO?), RONDO_ALGORITHM (RONDO_ALGO?), RONDO_FOO, "
            "RONDO_TCPSOCKETS (RONDO_TCP_SOCKETS?), RONDO_TIMEOUT (RONDO_TIMEOUT_MS?), "
            "RONDO_TRANSPROT (RONDO_TRANSPORT?)");
  EXPECT_EQ(unknown_of({"RONDO_", "RONDO_A\nB=x", "RONDO_JO=1"}), "RONDO_, RONDO_A?B, RONDO_JO")
      << "too short to be the start of one";
  const std::string name = "RONDO_ALGO" + std::string(100'000, 'X');
  EXPECT_EQ(unknown_of({name.c_str()}), name);
}

TEST(EnvironmentNames, Known_AndOthers_AreNotTold) {
  std::set<std::string_view> names;
  for (const std::string_view name : known_variables()) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(unknown_of({(std::string(name) + "=value").c_str()}), "") << name;
  }
  EXPECT_EQ(unknown_of({}), "");
  EXPECT_EQ(unknown_of({"PATH=RONDO_FOO=1", "RONDOS=1", "rondo_algo=ring", "MY_RONDO_FOO=1",
                        "RONDO_TEST_SHARE=0/2", "RONDO_GPU_CHECK_SMALL=1"}),
            "");
}

TEST(EnvironmentNames, AreToldOnceInAProcess) {
  const ScopedVariable variable("RONDO_ALGORITHM", "ring");
  std::vector<std::string> lines;
  set_log([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  warn_of_unknown_variables();
  warn_of_unknown_variables();
  set_log({});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines.front().find("doesn't know: RONDO_ALGORITHM (RONDO_ALGO?)"), std::string::npos)
      << lines.front();
}

}  // namespace
}  // namespace rondo
