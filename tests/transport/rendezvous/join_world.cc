// Joins a world the way this process was started (`rondo run`, mpirun, alone) and checks that all
// processes see the same members. Every process brings three places, so that ranks and process
// indices differ. Exit code 0: joined; 1: an error, which it prints.
//   rondo_join_world [--rounds N] [--timeout SECONDS] [--absent INDEX]

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "transport/rendezvous/complete_launch.h"
#include "transport/rendezvous/membership.h"
#include "transport/rendezvous/open_store.h"

namespace {

using namespace rondo;              // NOLINT: a test program
using namespace rondo::rendezvous;  // NOLINT

constexpr int kPlaces = 3;

struct Options {
  int rounds = 1;
  int timeout_s = 30;
  int absent = -1;
};

Options parse(int count, char** words) {
  Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view word = words[i];
    const int value = std::atoi(words[i + 1]);
    if (word == "--rounds") options.rounds = value;
    if (word == "--timeout") options.timeout_s = value;
    if (word == "--absent") options.absent = value;
  }
  return options;
}

std::string blob_of(int process, int round) {
  return fmt::format("process {} round {}", process, round) + std::string("\0\n\xff", 3) +
         std::string(static_cast<std::size_t>(5000 * (process % 3)), 'x');
}

Status check(const Membership& members, const Launch& launch, int round) {
  const auto wrong = [](const std::string& what) {
    return Status(ErrorCode::kInternal, "wrong " + what);
  };
  if (members.world != kPlaces * launch.process_count) return wrong("world");
  if (members.first_rank != kPlaces * launch.process_index) return wrong("first rank");
  for (int rank = 0; rank < members.world; ++rank) {
    const Process& process = members.process_of(rank);
    if (process.blob != blob_of(rank / kPlaces, round)) return wrong("blob");
    if (process.pid <= 0 || process.hostname.empty()) return wrong("process");
  }
  if (members.process_of(members.first_rank).pid != getpid()) return wrong("pid");
  return {};
}

Status run(const Options& options) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(options.timeout_s);
  RONDO_ASSIGN(const Launch started, detect_launch());
  const Meeting meeting{.host_identity = "host", .own_address = [](bool) -> Result<std::string> {
                          return std::string("127.0.0.1");
                        }};
  RONDO_ASSIGN(const Launch launch, complete_launch(started, meeting, deadline));
  RONDO_ASSIGN(const std::unique_ptr<Store> store, open_store(launch, deadline));
  if (launch.process_index == options.absent) {
    std::this_thread::sleep_for(std::chrono::seconds(2 * options.timeout_s));
    return {};
  }
  for (int round = 0; round < options.rounds; ++round) {
    const Joining joining{.world_name = fmt::format("round-{}", round),
                          .places = kPlaces,
                          .host_identity = "host",
                          .blob = blob_of(launch.process_index, round)};
    RONDO_ASSIGN(const Membership members, join(*store, launch, joining, deadline));
    RONDO_TRY(check(members, launch, round));
  }
  if (launch.process_index == 0) {
    fmt::print("world of {} joined {} times by {}\n", kPlaces * launch.process_count,
               options.rounds, to_string(launch.launcher));
  }
  return {};
}

}  // namespace

int main(int count, char** words) {
  const Status status = run(parse(count, words));
  if (status.ok()) return 0;
  fmt::print(stderr, "{}\n", status.to_string());
  return 1;
}
