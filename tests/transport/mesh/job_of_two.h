#pragma once

// A job of two processes: a test, which is process 0, and workers that it forks.

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>

#include "core/unique_fd.h"
#include "transport/mesh/connect_places.h"

namespace rondo::transport {

/// Where its store is, from its beginning on.
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

  std::uint64_t job() const { return job_; }
  const std::string& address() const { return address_; }

  /// One world.
  Status join(int process) const {
    const rendezvous::Launch launch{.launcher = rendezvous::Launcher::kRondoRun,
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

  /// A process that takes part in this job alone; it ends with 0 where `part` says that all is
  /// well.
  static pid_t start_worker(const std::function<bool()>& part) {
    const pid_t worker = ::fork();
    if (worker == 0) ::_exit(part() ? 0 : 1);
    return worker;
  }

 private:
  std::uint64_t job_;
  UniqueFd listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::string address_;
};

}  // namespace rondo::transport
