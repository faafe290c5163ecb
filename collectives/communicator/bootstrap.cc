#include "collectives/communicator/bootstrap.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "core/one_line.h"
#include "transport/mesh/own_address.h"
#include "transport/rendezvous/kept_server.h"
#include "transport/rendezvous/store_address.h"

namespace rondo::communicator {
namespace {

using rendezvous::Launch;
using rendezvous::Launcher;

Status invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

Result<std::string> make_id(const std::string& interface) {
  auto host = transport::own_address(interface, /*one_host=*/false, Launch{});
  // No way to other hosts: then they are all on this one.
  if (!host.ok() && interface.empty()) host = transport::own_address({}, /*one_host=*/true, {});
  RONDO_TRY(host.status());
  const std::uint64_t job = rendezvous::random_job();
  RONDO_ASSIGN(const rendezvous::StoreAddress address,
               rendezvous::keep_server({.host = *host, .port = 0}, job));
  return fmt::format("{}/{:016x}", to_string(address), job);
}

}  // namespace

Result<Launch> launch_of(const Bootstrap& bootstrap) {
  if (bootstrap.processes < 1 || bootstrap.processes > kMostProcesses || bootstrap.process < 0 ||
      bootstrap.process >= bootstrap.processes) {
    return invalid(
        fmt::format("Bootstrap: process {} of {}: expected 0 to processes - 1, of at "
                    "most {} processes",
                    bootstrap.process, bootstrap.processes, kMostProcesses));
  }
  Launch launch{.launcher = Launcher::kUniqueId,
                .process_index = bootstrap.process,
                .process_count = bootstrap.processes};
  const std::string_view id = bootstrap.unique_id;
  const std::size_t slash = id.rfind('/');
  const std::string_view job = slash == std::string_view::npos ? "" : id.substr(slash + 1);
  const auto [end, problem] = std::from_chars(job.data(), job.data() + job.size(), launch.job, 16);
  const bool has_job = problem == std::errc() && end == job.data() + job.size() && launch.job != 0;
  if (has_job) launch.store_address = std::string(id.substr(0, slash));
  if (!has_job || !rendezvous::parse_address(launch.store_address).ok()) {
    return invalid(
        fmt::format("Bootstrap: '{}' is no unique id; expected what make_unique_id gave "
                    "process 0",
                    on_one_line(std::string(id.substr(0, kMostUniqueIdBytes)))));
  }
  return launch;
}

void forget_id(const Launch& launch) {
  const auto address = rendezvous::parse_address(launch.store_address);
  if (launch.process_index == 0 && address.ok()) rendezvous::end_server(*address, launch.job);
}

}  // namespace rondo::communicator

namespace rondo {
inline namespace v1 {

std::string make_unique_id(const std::string& interface) {
  return value_or_throw(communicator::make_id(interface));
}

void forget_unique_id(const std::string& unique_id) {
  const auto launch = communicator::launch_of({.unique_id = unique_id});
  if (launch.ok()) communicator::forget_id(*launch);
}

}  // namespace v1
}  // namespace rondo
