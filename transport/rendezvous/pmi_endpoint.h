#pragma once

// Where a launcher speaks PMI-1 with this process. A value.

#include <string>

namespace rondo::rendezvous {

struct PmiEndpoint {
  std::string launcher = "the launcher";  ///< its name, for people
  int fd = -1;            ///< PMI_FD: a socket that this process has inherited; or, where it is -1,
  std::string address{};  ///< PMI_PORT: "host:port" where the launcher listens, and
  int id = -1;            ///< PMI_ID: who this process is, to tell it
};

/// "MPICH's mpirun (PMI_FD=6)"
inline std::string to_string(const PmiEndpoint& endpoint) {
  const std::string where =
      endpoint.fd >= 0 ? "PMI_FD=" + std::to_string(endpoint.fd) : "PMI_PORT=" + endpoint.address;
  return endpoint.launcher + " (" + where + ")";
}

}  // namespace rondo::rendezvous
