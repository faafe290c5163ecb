#include "collectives/communicator/call_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/boot_id.h"
#include "core/environment.h"
#include "core/log.h"
#include "core/trace/last_calls.h"
#include "core/trace/write_file.h"

namespace rondo::communicator {
namespace {

constexpr IntegerRange kCallsRange{1, 65'536};

/// A process may be in several worlds of one job, which the epoch tells apart.
std::string job_of(const transport::Identity& identity) {
  return fmt::format("{:016x}-{}", identity.job, identity.epoch);
}

trace::TraceOwner owner_of(const transport::Mesh& mesh) {
  const auto& own = mesh.ranks()[static_cast<std::size_t>(mesh.rank())];
  return {.rank = mesh.rank(),
          .world = mesh.size(),
          .pid = own.pid,
          .host = own.hostname,
          .clock = boot_id().value_or(""),
          .job = job_of(mesh.identity())};
}

std::uint64_t larger_bytes(const CallArguments& arguments) {
  return std::max(arguments.input.count * size_of(arguments.input.dtype),
                  arguments.output.count * size_of(arguments.output.dtype));
}

}  // namespace

Result<TraceSettings> trace_settings() {
  TraceSettings settings;
  const std::string trace = environment_text("RONDO_TRACE").value_or("on");
  settings.on = trace != "off" && trace != "0";
  if (settings.on && trace != "on" && trace != "1") settings.folder_at_end = trace;
  RONDO_ASSIGN(const std::int64_t calls,
               environment_integer("RONDO_TRACE_CALLS", static_cast<std::int64_t>(settings.calls),
                                   kCallsRange));
  settings.calls = static_cast<std::size_t>(calls);
  settings.folder_at_error = environment_text("RONDO_TRACE_DIR").value_or(settings.folder_at_end);
  settings.metrics_file = environment_text("RONDO_METRICS_FILE").value_or("");
  return settings;
}

CallTrace::CallTrace(const transport::Mesh& mesh, TraceSettings settings)
    : waited_(static_cast<std::size_t>(mesh.size())),
      mesh_(mesh),
      settings_(std::move(settings)),
      owner_(owner_of(mesh)),
      anchor_(process_anchor()),
      send_series_(static_cast<std::size_t>(mesh.size())),
      receive_series_(static_cast<std::size_t>(mesh.size())),
      before_(static_cast<std::size_t>(mesh.size())),
      own_(static_cast<std::size_t>(mesh.size())),
      counted_until_(static_cast<std::size_t>(mesh.size())),
      moved_(static_cast<std::size_t>(mesh.size())) {
  for (int peer = 0; peer < mesh.size(); ++peer) {
    const transport::Endpoint* endpoint = mesh.endpoint(peer);
    if (endpoint != nullptr) has_tcp_ |= endpoint->kind() == transport::TransportKind::kTcp;
  }
  if (!settings_.on || mesh.size() == 1) return;
  ns_per_tick_ = TickScale(anchor_).ns_per_tick();
  ring_.emplace(settings_.calls);
}

trace::CallRecord CallTrace::record_of(const CallArguments& arguments,
                                       const trace::Series& series) {
  trace::CallRecord record;
  record.count = std::max(arguments.input.count, arguments.output.count);
  record.bytes = larger_bytes(arguments);
  record.series = series.index;
  record.type = static_cast<std::uint8_t>(arguments.input.dtype);
  record.op = static_cast<std::uint8_t>(arguments.reduction.op());
  record.reduces = schedule::reduces(arguments.collective) ? 1 : 0;
  record.root = arguments.root;
  return record;
}

trace::CallTimer* CallTrace::begin(std::uint64_t sequence, const trace::CallRecord& alike,
                                   trace::Series& series) {
  if (!ring_.has_value()) return nullptr;
  ring_->fetch_next();
  count_last();
  current_ = &series;
  timer_.begin(alike, entered_, begun_);
  timer_.record().sequence = sequence;
  return &timer_;
}

void CallTrace::end(const Status& status, std::span<transport::Endpoint* const> peers) {
  if (!ring_.has_value()) return;
  timer_.end();
  if (has_tcp_) note_links(peers);
  trace::CallRecord& record = timer_.record();
  if (!status.ok()) record.result = static_cast<std::uint8_t>(status.code());
  if (const int peer = record.waited_longest_for; peer >= 0)
    waited_[static_cast<std::size_t>(peer)].add(record.wait);
  ring_->push(record);
  uncounted_ = current_;
  if (function_) tell(record, *current_);
}

/// A call's totals are added up while the next one's messages are on their way, or where somebody
/// asks.
void CallTrace::count_last() {
  if (uncounted_ != nullptr) uncounted_->add(timer_.record(), ns_per_tick_);
  uncounted_ = nullptr;
}

Status CallTrace::tell(TraceFunction function) {
  if (!ring_.has_value()) {
    return {ErrorCode::kUnsupported,
            "calls aren't traced: RONDO_TRACE is off, or the world has one rank"};
  }
  function_ = std::move(function);
  return {};
}

void CallTrace::tell(const trace::CallRecord& record, const trace::Series& series) const {
  const auto us = [this](Ticks ticks) { return static_cast<double>(ticks) * ns_per_tick_ / 1e3; };
  const TracedCall call{.collective = series.collective,
                        .algorithm = series.algorithm,
                        .transport = series.transport,
                        .sequence = record.sequence,
                        .bytes = record.bytes,
                        .took_us = us(record.done - record.begun),
                        .wait_us = us(record.wait),
                        .reduce_us = us(record.reduce),
                        .waited_longest_for = record.waited_longest_for,
                        .result = static_cast<ErrorCode>(record.result)};
  try {
    function_(call);
  } catch (...) {
    // A call that went well isn't to fail for whoever watches it.
  }
}

void CallTrace::note_links(std::span<transport::Endpoint* const> peers) {
  const transport::Endpoint* slowest = nullptr;
  transport::Traffic most;
  for (const transport::Endpoint* endpoint : peers) {
    if (endpoint->kind() != transport::TransportKind::kTcp) continue;
    transport::Traffic& before = before_[static_cast<std::size_t>(endpoint->peer())];
    const transport::Traffic now = endpoint->traffic();
    const Ticks ticks = now.parted_ticks - before.parted_ticks;
    if (ticks > most.parted_ticks) {
      slowest = endpoint;
      most.parted_ticks = ticks;
      most.parted_bytes = now.parted_bytes - before.parted_bytes;
    }
    before = now;
  }
  if (slowest == nullptr) return;
  timer_.came_in_parts(slowest->peer(), most.parted_ticks, most.parted_bytes);
}

void CallTrace::end_exchange(const CallArguments& arguments, Ticks entered, Ticks met,
                             const Status& status) {
  if (!ring_.has_value()) return;
  const bool sends = arguments.exchange == Exchange::kSend;
  trace::CallRecord record;
  record.entered = record.begun = entered;
  record.last_byte = record.done = ticks_now();
  // Nobody waits for a message to itself.
  const bool waited = met != entered && arguments.root != mesh_.rank();
  record.first_byte = !waited ? entered : met == 0 ? record.done : std::max(entered, met);
  if (waited) note_wait(record, arguments.root);
  record.count = sends ? arguments.input.count : arguments.output.count;
  record.bytes = record.count * size_of(sends ? arguments.input.dtype : arguments.output.dtype);
  record.type = static_cast<std::uint8_t>(sends ? arguments.input.dtype : arguments.output.dtype);
  record.root = arguments.root;
  record.result = static_cast<std::uint8_t>(status.code());
  trace::Series& series = exchange_series(arguments.root, sends);
  record.series = series.index;
  ring_->push(record);
  series.add(record, ns_per_tick_);
  if (function_) tell(record, series);
}

void CallTrace::note_wait(trace::CallRecord& record, int peer) {
  record.wait = record.first_byte - record.begun;
  record.waited_longest_for = record.waited_last_for = peer;
  // Messages of one peer may be waited for at the same time, which counts once.
  Ticks& counted = counted_until_[static_cast<std::size_t>(peer)];
  const Ticks from = std::max(record.begun, counted);
  if (record.first_byte <= from) return;
  waited_[static_cast<std::size_t>(peer)].add(record.first_byte - from);
  counted = record.first_byte;
}

/// Asked for once for each peer and direction: that takes a lock.
trace::Series& CallTrace::exchange_series(int peer, bool sends) {
  auto& known = sends ? send_series_ : receive_series_;
  trace::Series*& series = known[static_cast<std::size_t>(peer)];
  if (series != nullptr) return *series;
  const transport::Endpoint* const endpoint = mesh_.endpoint(peer);
  const char* const kind = endpoint == nullptr ? "none" : transport::to_string(endpoint->kind());
  series = &series_.find(sends ? "send" : "receive", "message", kind);
  return *series;
}

void CallTrace::begin_anew() {
  if (ring_.has_value() && ring_->pushed() > 0) ring_.emplace(settings_.calls);
  uncounted_ = nullptr;
  timer_.record() = {};
  series_.forget();
  for (trace::Total& waited : waited_) waited.forget();
  std::ranges::fill(moved_, execute::MovedBytes());
  for (int peer = 0; peer < mesh_.size(); ++peer) {
    const transport::Endpoint* const endpoint = mesh_.endpoint(peer);
    if (endpoint != nullptr) own_[static_cast<std::size_t>(peer)] = endpoint->traffic();
  }
}

void CallTrace::dump(const Status& cause) {
  if (!ring_.has_value() || std::exchange(dumped_, true)) return;
  failure_ = cause.to_string();
  log_last_calls(cause);
  if (settings_.folder_at_error.empty()) return;
  const std::string path = file_in(settings_.folder_at_error);
  const Status written = write(path, failure_);
  if (written.ok()) written_ = path;
  log(written.ok() ? LogLevel::kError : LogLevel::kWarn, [&] {
    if (!written.ok()) return fmt::format("no trace of the failed call: {}", written.message());
    return fmt::format("rank {}'s last {} calls before {} are in {} (see `rondo trace {}`)",
                       owner_.rank, std::min<std::uint64_t>(ring_->pushed(), ring_->capacity()),
                       to_string(cause.code()), path, settings_.folder_at_error);
  });
}

void CallTrace::log_last_calls(const Status& cause) const {
  if (ring_->pushed() == 0) return;
  // Who gives up on purpose isn't to be told on standard error.
  const bool on_purpose = cause.code() == ErrorCode::kCancelled;
  log(on_purpose ? LogLevel::kInfo : LogLevel::kError, [&] {
    return fmt::format("{} on rank {} of {}; its last calls, of {}: {}", to_string(cause.code()),
                       owner_.rank, owner_.world, ring_->pushed(),
                       trace::last_calls(ring_->read(), series_.all(), TickScale(anchor_)));
  });
}

void CallTrace::close() {
  const auto warn = [](const Status& written) {
    if (written.ok()) return;
    log(LogLevel::kWarn, [&] { return written.message(); });
  };
  if (ring_.has_value() && !settings_.folder_at_end.empty()) {
    const std::string path = file_in(settings_.folder_at_end);
    if (path != written_) warn(write(path, failure_));
  }
  if (!settings_.metrics_file.empty()) warn(trace::write_file(metrics_path(), metrics()));
}

Status CallTrace::write(const std::string& path, std::string_view error) const {
  if (!ring_.has_value()) {
    return Status(ErrorCode::kUnsupported,
                  owner_.world == 1 ? "a world of one rank has no calls to trace"
                                    : "there is no trace: it is switched off (RONDO_TRACE)");
  }
  const auto records = ring_->read();
  return trace::write_file(path, trace::chrome_trace(owner_, records, ring_->pushed(),
                                                     series_.all(), TickScale(anchor_), error));
}

std::string CallTrace::file_in(const std::string& folder) const {
  return std::filesystem::path(folder) /
         fmt::format("rondo-trace.{}.{}.json", owner_.job, owner_.rank);
}

/// Each communicator and rank its own: "dir/rondo.prom" becomes "dir/rondo.JOB.RANK.prom".
std::string CallTrace::metrics_path() const {
  const std::filesystem::path path(settings_.metrics_file);
  const std::string name = fmt::format("{}.{}.{}{}", path.stem().string(), owner_.job, owner_.rank,
                                       path.extension().string());
  return path.parent_path() / name;
}

std::string CallTrace::metrics() {
  count_last();
  return trace::prometheus_text(owner_.rank, owner_.job, series_.all(), peer_totals(),
                                ns_per_tick_);
}

void CallTrace::note_moved(std::span<const execute::MovedBytes> by_peers) {
  for (const execute::MovedBytes& moved : by_peers) {
    execute::MovedBytes& sum = moved_[static_cast<std::size_t>(moved.peer)];
    sum.sent += moved.sent;
    sum.received += moved.received;
  }
}

trace::PeerTotals CallTrace::total_of(const transport::Endpoint& endpoint) const {
  constexpr double kSecondsPerNs = 1e-9;
  const auto peer = static_cast<std::size_t>(endpoint.peer());
  const transport::Traffic through_host = endpoint.traffic();
  return {
      .peer = endpoint.peer(),
      .transport = transport::to_string(endpoint.kind()),
      .sent_bytes = through_host.sent_bytes - own_[peer].sent_bytes + moved_[peer].sent,
      .received_bytes =
          through_host.received_bytes - own_[peer].received_bytes + moved_[peer].received,
      .wait_seconds = static_cast<double>(waited_[peer].value()) * ns_per_tick_ * kSecondsPerNs};
}

std::vector<trace::PeerTotals> CallTrace::peer_totals() const {
  std::vector<trace::PeerTotals> list;
  for (int peer = 0; peer < mesh_.size(); ++peer) {
    const transport::Endpoint* endpoint = mesh_.endpoint(peer);
    if (endpoint == nullptr) continue;
    list.push_back(total_of(*endpoint));
  }
  return list;
}

}  // namespace rondo::communicator
