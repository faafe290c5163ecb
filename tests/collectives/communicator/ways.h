#pragma once

// What tests of calls are run over: each transport, and each way in which started calls go on.

#include <gtest/gtest.h>

#include <string>
#include <tuple>

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

}  // namespace rondo::testing
