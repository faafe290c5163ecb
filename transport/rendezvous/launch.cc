#include "transport/rendezvous/launch.h"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

#include "core/random_bits.h"
#include "rondo/bootstrap.h"
#include "transport/rendezvous/environment_reader.h"
#include "transport/rendezvous/store_address.h"

namespace rondo::rendezvous {
namespace {

constexpr NumberRange kWorldRange{.least = 1, .most = kMostProcesses};
constexpr NumberRange kDescriptorRange{.least = 0, .most = std::numeric_limits<int>::max()};

Status read_local(const EnvironmentReader& in, const char* index_name, const char* count_name,
                  Launch& launch) {
  const NumberRange counts{.least = 1, .most = launch.process_count};
  RONDO_ASSIGN(launch.local_count, in.optional_number(count_name, counts));
  const NumberRange indices{.least = 0,
                            .most = launch.local_count.value_or(launch.process_count) - 1};
  RONDO_ASSIGN(launch.local_index, in.optional_number(index_name, indices));
  return {};
}

Result<Launch> launch_of_rondo_run(const Environment& environment) {
  const EnvironmentReader in(environment, "`rondo run`");
  Launch launch{.launcher = Launcher::kRondoRun};
  RONDO_ASSIGN(launch.process_count, in.number("RONDO_WORLD", kWorldRange));
  RONDO_ASSIGN(launch.process_index,
               in.number("RONDO_RANK", {.least = 0, .most = launch.process_count - 1}));
  RONDO_TRY(read_local(in, "RONDO_LOCAL_RANK", "RONDO_LOCAL_WORLD", launch));
  RONDO_ASSIGN(launch.job, in.hex("RONDO_JOB"));
  if (launch.process_count == 1) return launch;
  RONDO_ASSIGN(launch.store_address, in.text("RONDO_STORE"));
  if (const auto address = parse_address(launch.store_address); !address.ok()) {
    return Status(ErrorCode::kInvalidArgument, "RONDO_STORE: " + address.status().message());
  }
  RONDO_ASSIGN(const std::optional<int> fd, in.optional_number("RONDO_STORE_FD", kDescriptorRange));
  if (launch.process_index == 0) launch.store_fd = fd.value_or(-1);
  return launch;
}

Result<Launch> launch_of_pmix(const Environment& environment) {
  const EnvironmentReader in(environment, "the PMIx launcher");
  Launch launch{.launcher = Launcher::kPmix};
  const bool mpirun = in.has("OMPI_COMM_WORLD_SIZE");
  const char* size_name = mpirun ? "OMPI_COMM_WORLD_SIZE" : "SLURM_STEP_NUM_TASKS";
  RONDO_ASSIGN(launch.process_count, in.number(size_name, kWorldRange));
  RONDO_ASSIGN(launch.process_index,
               in.number("PMIX_RANK", {.least = 0, .most = launch.process_count - 1}));
  RONDO_TRY(read_local(in, "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", launch));
  // No job's number: it is derived from a process id, comes again and can be guessed.
  RONDO_TRY(in.text("PMIX_NAMESPACE").status());
  return launch;
}

/// Which of the launchers that speak PMI-1 it is. MPICH's is started by srun on other hosts.
std::string pmi_launcher(const EnvironmentReader& in) {
  if (in.has("HYDI_CONTROL_FD")) return "MPICH's mpirun";
  return in.has("SLURM_STEP_NUM_TASKS") ? "srun" : "the launcher";
}

Result<Launch> launch_of_pmi(const Environment& environment) {
  const EnvironmentReader in(environment, "the PMI launcher");
  Launch launch{.launcher = Launcher::kPmi, .job = random_job()};
  launch.pmi.launcher = pmi_launcher(in);
  if (!in.has("PMI_FD")) {
    launch.process_count = 0;
    RONDO_ASSIGN(launch.pmi.address, in.text("PMI_PORT"));
    RONDO_ASSIGN(launch.pmi.id, in.number("PMI_ID", {.least = 0, .most = kWorldRange.most}));
    return launch;
  }
  RONDO_ASSIGN(launch.pmi.fd, in.number("PMI_FD", kDescriptorRange));
  RONDO_ASSIGN(launch.process_count, in.number("PMI_SIZE", kWorldRange));
  RONDO_ASSIGN(launch.process_index,
               in.number("PMI_RANK", {.least = 0, .most = launch.process_count - 1}));
  RONDO_TRY(read_local(in, "MPI_LOCALRANKID", "MPI_LOCALNRANKS", launch));
  return launch;
}

Status unknown_launcher(const std::string& variable) {
  return Status(ErrorCode::kUnsupported,
                "started as one of several processes (" + variable +
                    " says so) by a launcher that Rondo can't talk to: use `rondo run`, or an "
                    "mpirun or srun with PMIx or PMI-1");
}

Status srun_without_pmi(const std::string& process, const std::string& count) {
  return Status(ErrorCode::kUnsupported,
                fmt::format("started by srun as process {} of {} (SLURM_PROCID, "
                            "SLURM_STEP_NUM_TASKS), but without PMI, so that the processes can't "
                            "find each other: use `srun --mpi=pmix` or `srun --mpi=pmi2` (`srun "
                            "--mpi=list` says what there is)",
                            process, count));
}

}  // namespace

std::uint64_t random_job() { return random_bits(); }

std::string describe(const Launch& launch) {
  const bool pmi = launch.launcher == Launcher::kPmi;
  std::string who = pmi ? "PMI-1, " + to_string(launch.pmi) : to_string(launch.launcher);
  if (launch.process_count == 0) return who;
  return fmt::format("{} (process {} of {})", who, launch.process_index, launch.process_count);
}

const char* to_string(Launcher launcher) {
  switch (launcher) {
    case Launcher::kAlone: return "none";
    case Launcher::kRondoRun: return "rondo run";
    case Launcher::kPmix: return "PMIx";
    case Launcher::kPmi: return "PMI-1";
    case Launcher::kUniqueId: return "unique id";
  }
  return "unknown";
}

Result<Launch> detect_launch(const Environment& environment) {
  for (const char* name : {"RONDO_RANK", "RONDO_WORLD"}) {
    if (environment(name)) return launch_of_rondo_run(environment);
  }
  for (const char* name : {"PMIX_RANK", "PMIX_NAMESPACE"}) {
    if (environment(name)) return launch_of_pmix(environment);
  }
  for (const char* name : {"PMI_FD", "PMI_PORT"}) {
    if (environment(name)) return launch_of_pmi(environment);
  }
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const auto size = environment(name);
    if (size && *size != "1") return unknown_launcher(name);
  }
  // Only srun itself sets this: a batch script that runs one process has SLURM_NTASKS.
  const auto tasks = environment("SLURM_STEP_NUM_TASKS");
  if (tasks && *tasks != "1") {
    return srun_without_pmi(environment("SLURM_PROCID").value_or("?"), *tasks);
  }
  return Launch{.job = random_job()};
}

Result<Launch> detect_launch() {
  return detect_launch([](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
  });
}

}  // namespace rondo::rendezvous
