#pragma once

// How this process was started, read from its environment: by `rondo run` (RONDO_*), by a launcher
// with PMIx (Open MPI's mpirun, srun) or PMI-1 (MPICH's mpirun, srun), or by nobody (a world of
// one). RONDO_* was set last or by hand, and wins over the others. Of those, PMIx wins: srun starts
// what starts Open MPI's processes. Pure but for reading the environment.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/status.h"
#include "transport/rendezvous/pmi_endpoint.h"

namespace rondo::rendezvous {

/// kUniqueId: none, the program itself says which process this is (rondo/bootstrap.h).
enum class Launcher : std::uint8_t { kAlone, kRondoRun, kPmix, kPmi, kUniqueId };
const char* to_string(Launcher launcher);

struct Launch {
  Launcher launcher = Launcher::kAlone;
  int process_index = 0;
  int process_count = 1;             ///< 0: the launcher has to be asked (PMI_PORT)
  std::optional<int> local_index{};  ///< among the processes that were started on this host
  std::optional<int> local_count{};
  /// Random, equal on all processes of a job; kPmix: 0, process 0 draws it when the world is
  /// joined.
  std::uint64_t job = 0;
  std::string store_address{};  ///< "host:port" of the store in process 0, where there is one
  int store_fd = -1;            ///< its listening socket, inherited by process 0
  PmiEndpoint pmi{};            ///< kPmi: where the launcher is asked for what is missing here
};
/// Who started this process, and which one it is.
std::string describe(const Launch& launch);
/// Hard to guess.
std::uint64_t random_job();

/// Looks a variable up; nothing where it isn't set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// Errors: InvalidArgument, naming the variable that is missing, malformed or out of range;
/// Unsupported for a launcher that Rondo doesn't know.
Result<Launch> detect_launch(const Environment& environment);
/// From the process's own environment.
Result<Launch> detect_launch();

}  // namespace rondo::rendezvous
