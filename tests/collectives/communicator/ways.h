#pragma once

// What tests of calls are run over: each transport, and each way in which started calls go on.

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {

/// A transport and CommunicatorOptions::progress.
using Way = std::tuple<std::string, std::string>;

inline auto every_way() {
  return ::testing::Combine(::testing::Values("inproc", "shm", "tcp"),
                            ::testing::Values("thread", "caller"));
}

/// As tests are named by it: "shm_thread".
inline std::string name_of_way(const ::testing::TestParamInfo<Way>& info) {
  return std::get<0>(info.param) + "_" + std::get<1>(info.param);
}

/// Tests that are run in a way.
class InAWay : public ::testing::TestWithParam<Way> {
 protected:
  World world(int size) const {
    const auto& [transport, progress] = GetParam();
    return {.size = size, .transport = transport, .timeout_ms = 20'000, .progress = progress};
  }
};

/// How a call ended, as text; empty: well.
inline std::string end_of(Work& work) {
  try {
    work.wait();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace rondo::testing
