// A rank is killed while its peers' CUDA devices read its memory, of a driver that is acted: in
// calls that hosts drive, in kernels that wait for each other, also of graphs, and in NCCL.

#include <gtest/gtest.h>

#include <string>

#include "tests/launch/killing.h"

namespace rondo::launch {
namespace {

/// A device for each rank.
constexpr const char* kOnCuda =
    "RONDO_TEST_DEVICE=cuda RONDO_EMULATED_DEVICES=4 RONDO_EMULATED_DELAY_US=20 "
    "RONDO_CUDA_DRIVER=" ACTED_CUDA " ";

Killing on_cuda(const char* name, const std::string& way,
                const char* arguments = "killed_on_device 2") {
  return {name, kOnCuda + way, arguments};
}

class KilledOnCuda : public ::testing::TestWithParam<Killing> {};

TEST_P(KilledOnCuda, OneRank_AllOthersNameItInTime) { expect_others_name_the_killed(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Ways, KilledOnCuda,
    ::testing::Values(on_cuda("ring", "RONDO_NCCL=off RONDO_ALGO=ring"),
                      on_cuda("direct", "RONDO_NCCL=off RONDO_ALGO=direct"),
                      on_cuda("behind_hosts_of_a_ring", "RONDO_NCCL=off RONDO_ALGO=ring",
                              "killed_behind_hosts 2"),
                      on_cuda("behind_hosts_of_a_direct_call", "RONDO_NCCL=off RONDO_ALGO=direct",
                              "killed_behind_hosts 2"),
                      on_cuda("ring_of_kernels",
                              "RONDO_NCCL=off RONDO_DEVICE_PATH=kernel "
                              "CUDA_DEVICE_MAX_CONNECTIONS=32 RONDO_ALGO=ring"),
                      on_cuda("direct_kernels",
                              "RONDO_NCCL=off RONDO_DEVICE_PATH=kernel "
                              "CUDA_DEVICE_MAX_CONNECTIONS=32 RONDO_ALGO=direct"),
                      on_cuda("graphs",
                              "RONDO_NCCL=off RONDO_DEVICE_PATH=kernel "
                              "CUDA_DEVICE_MAX_CONNECTIONS=32 RONDO_ALGO=ring",
                              "killed_in_graph 2")),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(StoppedOnCuda, OneRank_IsNoticedByTheDeadline) {
  expect_others_notice_the_stopped(std::string(kOnCuda) + "RONDO_NCCL=off RONDO_ALGO=ring");
}

TEST(StoppedOnCuda, OneRankInAKernel_IsNoticedByTheDeadline) {
  expect_others_notice_the_stopped(
      std::string(kOnCuda) +
      "RONDO_NCCL=off RONDO_DEVICE_PATH=kernel CUDA_DEVICE_MAX_CONNECTIONS=32 RONDO_ALGO=ring");
}

class KilledInNccl : public ::testing::TestWithParam<Killing> {};

TEST_P(KilledInNccl, OneRank_AllOthersNameItInTime) {
  if (std::string(ACTED_NCCL) == "off") GTEST_SKIP() << "this build has no NCCL";
  expect_others_name_the_killed(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Ways, KilledInNccl,
    ::testing::Values(on_cuda("whole_calls", "RONDO_NCCL=" ACTED_NCCL " RONDO_DEVICE_PATH=library"),
                      on_cuda("messages", "RONDO_NCCL=" ACTED_NCCL
                                          " RONDO_DEVICE_PATH=messages RONDO_ALGO=ring")),
    [](const auto& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace rondo::launch
