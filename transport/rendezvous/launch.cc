#include "transport/rendezvous/launch.h"

#include <cstdlib>
#include <limits>
#include <random>
#include <string_view>

#include "transport/rendezvous/environment_reader.h"
#include "transport/rendezvous/store_address.h"

namespace rondo::rendezvous {
namespace {

constexpr NumberRange kWorldRange{.least = 1, .most = 1 << 20};
constexpr NumberRange kDescriptorRange{.least = 0, .most = std::numeric_limits<int>::max()};

/// FNV-1a: the processes of a job compute it apart from each other and must agree.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return hash;
}

std::uint64_t random_job() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

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
  RONDO_ASSIGN(std::string name, in.text("PMIX_NAMESPACE"));
  // The namespace is derived from a process id and comes again; Open MPI also makes a random key.
  name += environment("OMPI_MCA_orte_precondition_transports").value_or("");
  launch.job = hash_of(name);
  return launch;
}

Status unknown_launcher(const std::string& variable) {
  return Status(ErrorCode::kUnsupported,
                "started as one of several processes (" + variable +
                    " says so) by a launcher that Rondo can't talk to: use `rondo run`, or an "
                    "mpirun or srun with PMIx");
}

}  // namespace

const char* to_string(Launcher launcher) {
  switch (launcher) {
    case Launcher::kAlone: return "none";
    case Launcher::kRondoRun: return "rondo run";
    case Launcher::kPmix: return "PMIx";
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
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const auto size = environment(name);
    if (size && *size != "1") return unknown_launcher(name);
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
