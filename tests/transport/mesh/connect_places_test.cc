// Processes that meet: this one, and workers that it forks before anything else.

#include "transport/mesh/connect_places.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <map>

#include "tests/transport/mesh/job_of_two.h"

namespace rondo::transport {
namespace {

TEST(ConnectPlaces, ProcessOfOneJobAfterAnother_meetsThoseOfOneAlone) {
  const JobOfTwo first(0xf1257);
  const JobOfTwo second(0x5ec0d);
  const std::map<const JobOfTwo*, pid_t> workers = {
      {&first, JobOfTwo::start_worker([&] { return first.join(1).ok(); })},
      {&second, JobOfTwo::start_worker([&] { return second.join(1).ok(); })}};
  for (const auto& [job, worker] : workers) {
    const Status status = job->join(0);
    EXPECT_TRUE(status.ok()) << status.to_string();
    int end = -1;
    EXPECT_EQ(::waitpid(worker, &end, 0), worker);
    EXPECT_EQ(end, 0);
  }
}

}  // namespace
}  // namespace rondo::transport
