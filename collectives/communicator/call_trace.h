#pragma once

// The flight recorder of one place: what its last calls were and where their time went, totals for
// metrics, and files of both when a call fails or the communicator ends (docs/tracing.md).
// On the way of a call: five readings of the counter, a record of two cache lines and a few plain
// additions; nothing is allocated, nothing locked.
// Threads: `enter` to `end`, and `metrics`, as the place that owns it; `write`, any.

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/communicator/call_arguments.h"
#include "collectives/execute/device/moved_bytes.h"
#include "core/cache_line.h"
#include "core/status.h"
#include "core/ticks.h"
#include "core/trace/call_timer.h"
#include "core/trace/chrome_export.h"
#include "core/trace/prometheus.h"
#include "core/trace/record_ring.h"
#include "core/trace/series.h"
#include "rondo/trace.h"
#include "transport/mesh/mesh.h"

namespace rondo::communicator {

/// What RONDO_TRACE and its like say.
struct TraceSettings {
  bool on = true;
  std::size_t calls = 1024;     ///< that are kept (RONDO_TRACE_CALLS)
  std::string folder_at_end;    ///< empty: nothing is written when the communicator ends
  std::string folder_at_error;  ///< empty: nothing is written when a call fails
  std::string metrics_file;     ///< empty: none
};
/// Errors: InvalidArgument, naming the variable.
Result<TraceSettings> trace_settings();

class CallTrace {
 public:
  /// Borrows the mesh.
  CallTrace(const transport::Mesh& mesh, TraceSettings settings);

  /// When a call is started, to be given to `enter_at`; 0 where nothing is traced.
  Ticks now() const { return !ring_.has_value() ? 0 : ticks_now(); }
  /// The program calls.
  void enter() {
    if (ring_.has_value()) entered_ = begun_ = ticks_now();
  }
  /// A call that was started then begins.
  void enter_at(Ticks entered) {
    if (!ring_.has_value()) return;
    begun_ = ticks_now();
    entered_ = entered;
  }
  /// What the records of all calls of one plan have alike: its arguments, and `series`.
  static trace::CallRecord record_of(const CallArguments& arguments, const trace::Series& series);
  /// The call that entered last, one of those. Null: nothing is traced.
  trace::CallTimer* begin(std::uint64_t sequence, const trace::CallRecord& alike,
                          trace::Series& series);
  /// Whether `end` looks at peers.
  bool notes_links() const { return has_tcp_; }
  /// It has ended; `peers`: whom it spoke with.
  void end(const Status& status, std::span<transport::Endpoint* const> peers);
  /// A send or receive has ended. `met`: until then it waited for its peer; 0: until now.
  void end_exchange(const CallArguments& arguments, Ticks entered, Ticks met, const Status& status);

  /// No call has been made yet: those so far were Rondo's own. Threads: no call is under way.
  void begin_anew();

  /// Between devices, by a call that has ended well.
  void note_moved(std::span<const execute::MovedBytes> by_peers);
  /// What was exchanged with that peer.
  trace::PeerTotals total_of(const transport::Endpoint& endpoint) const;

  /// What the last call took, from its beginning; 0 where nothing is traced.
  double last_us() const {
    const trace::CallRecord& record = timer_.record();
    return !ring_.has_value()
               ? 0
               : static_cast<double>(record.done - record.begun) * ns_per_tick_ / 1e3;
  }

  /// Told of each call that ends, from the next one on; empty: nobody. Errors: Unsupported (tracing
  /// is off, a world of one rank).
  Status tell(TraceFunction function);

  /// Of the calls of one plan. Threads: any.
  trace::Series& series(std::string_view collective, std::string_view algorithm,
                        std::string_view transport) {
    return series_.find(collective, algorithm, transport);
  }

  /// The last calls: a line of the newest in the log, and a file of all if RONDO_TRACE_DIR asks for
  /// one; the first error alone.
  void dump(const Status& cause);
  /// The communicator ends: what RONDO_TRACE and RONDO_METRICS_FILE ask for.
  void close();
  /// Errors: Unsupported (tracing is off), System. Threads: any.
  Status write(const std::string& path, std::string_view error = {}) const;
  std::string metrics();

 private:
  void tell(const trace::CallRecord& record, const trace::Series& series) const;
  void count_last();
  void log_last_calls(const Status& cause) const;
  void note_links(std::span<transport::Endpoint* const> peers);
  trace::Series& exchange_series(int peer, bool sends);
  void note_wait(trace::CallRecord& record, int peer);
  std::string file_in(const std::string& folder) const;
  std::string metrics_path() const;
  std::vector<trace::PeerTotals> peer_totals() const;

  // What every call touches lies together: behind long data it is in no near cache any more.
  alignas(kCacheLineBytes) std::optional<trace::RecordRing> ring_;  ///< none: nothing is traced
  Ticks entered_ = 0;
  Ticks begun_ = 0;
  trace::Series* current_ = nullptr;    ///< of the call under way, or the last one
  trace::Series* uncounted_ = nullptr;  ///< of the last one, where it has yet to be added there
  TraceFunction function_;
  std::vector<trace::Total> waited_;  ///< by peer, ticks
  double ns_per_tick_ = 1;
  bool has_tcp_ = false;
  trace::CallTimer timer_;

  const transport::Mesh& mesh_;
  TraceSettings settings_;
  trace::TraceOwner owner_;
  TickAnchor anchor_;
  trace::SeriesTable series_;
  std::vector<trace::Series*> send_series_;  ///< by peer; null: no send has ended
  std::vector<trace::Series*> receive_series_;
  std::vector<transport::Traffic> before_;  ///< by peer: at the end of the call before
  std::vector<transport::Traffic> own_;     ///< by peer: of what Rondo did by itself
  std::vector<Ticks> counted_until_;        ///< by peer: messages' waits are in there until then
  std::vector<execute::MovedBytes> moved_;  ///< by peer, between devices
  bool dumped_ = false;
  std::string failure_;  ///< of which all has been dumped
  std::string written_;  ///< the file that was
};

}  // namespace rondo::communicator
