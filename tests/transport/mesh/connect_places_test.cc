// Processes that meet: this one, and workers that it forks before anything else.

#include "transport/mesh/connect_places.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <string>

#include "core/unique_fd.h"

namespace rondo::transport {
namespace {

using rendezvous::Launch;

/// Where the store of a job of two processes is, from its beginning on.
class JobOfTwo {
 public:
  explicit JobOfTwo(std::uint64_t job) : job_(job) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof name;
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&name), bytes), 0);
    EXPECT_EQ(::listen(listener_.get(), 8), 0);
    EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&name), &bytes), 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(name.sin_port));
  }

  Status join(int process) const {
    const Launch launch{.launcher = rendezvous::Launcher::kRondoRun,
                        .process_index = process,
                        .process_count = 2,
                        .job = job_,
                        .store_address = address_,
                        .store_fd = process == 0 ? listener_.get() : -1};
    MeshOptions options;
    options.transport = "tcp";
    options.timeout_ms = 60'000;
    return connect_places(launch, {PlaceNote()}, options).status();
  }

  /// A process that takes part in this job alone.
  pid_t start_worker() const {
    const pid_t worker = ::fork();
    if (worker == 0) ::_exit(join(1).ok() ? 0 : 1);
    return worker;
  }

 private:
  std::uint64_t job_;
  UniqueFd listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::string address_;
};

TEST(ConnectPlaces, ProcessOfOneJobAfterAnother_meetsThoseOfOneAlone) {
  const JobOfTwo first(0xf1257);
  const JobOfTwo second(0x5ec0d);
  const std::map<const JobOfTwo*, pid_t> workers = {{&first, first.start_worker()},
                                                    {&second, second.start_worker()}};
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
