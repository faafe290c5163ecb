#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rondo/bootstrap.h"
#include "rondo/call.h"
#include "rondo/device.h"
#include "rondo/error.h"
#include "rondo/export.h"
#include "rondo/memory_kind.h"
#include "rondo/reduction.h"
#include "rondo/trace.h"
#include "rondo/tuning.h"
#include "rondo/types.h"
#include "rondo/work.h"

namespace rondo {
inline namespace v1 {

/// How a world is joined. Every field has a default that an environment variable may replace, so
/// that one binary runs alone, under `rondo run` and under `mpirun` without a change. A field that
/// equals its default counts as left alone, and its variable as what is wanted; any other value
/// stands whatever the variable says.
/// Transport, algorithm, schedule, deterministic, segment_bytes, links, tuning ("off", "measure" or
/// a file, whichever it is), wire format, error feedback and device path must be equal on all
/// ranks: Mismatch when the world is joined.
struct CommunicatorOptions {
  /// Longest wait inside one call (RONDO_TIMEOUT_MS).
  int timeout_ms = 600'000;
  /// Longest wait for the world to become complete (RONDO_JOIN_TIMEOUT_MS).
  int join_timeout_ms = 60'000;
  /// "auto", or one of "inproc", "shm", "tcp" forced for every pair (RONDO_TRANSPORT).
  std::string transport = "auto";
  /// "auto", or the name of an algorithm forced for every collective that has it (RONDO_ALGO).
  std::string algorithm = "auto";
  /// Network interface that tcp listens on; empty: the one that reaches the store (RONDO_IFACE).
  std::string interface;
  /// Connections that data take to each peer over tcp, 1 to 16 (RONDO_TCP_SOCKETS): each message
  /// goes by whichever has room first. Two ranks use the smaller of their numbers. 0: one, two
  /// where the link is said to be faster than 10 Gbit/s, four above 25.
  int tcp_sockets = 0;
  /// Messages over tcp of at least so many bytes are sent from where they lie, by MSG_ZEROCOPY
  /// (RONDO_TCP_ZERO_COPY); 0: none. Saves a copy where a fast network card reads memory by
  /// itself, and costs the wait for the peer's acknowledgement. A connection whose kernel copies
  /// nevertheless, as on loopback, stops asking for it once it has said so. Ranks may differ.
  std::size_t tcp_zero_copy_bytes = 0;
  /// Where memory is shared: pieces of messages of at least so many bytes that lie in no registered
  /// memory are read out of the sender's process (process_vm_readv), where the kernel permits it,
  /// instead of going by shared slots (RONDO_PRIVATE_READ). 0: as the tuning has measured it, and
  /// none without one: slots were faster on the hosts that were measured, but for one size by a
  /// twentieth (docs/performance.md). Ranks may differ.
  std::size_t private_read_bytes = 0;
  /// Who moves started calls on while nobody waits for one: "thread", a thread of the
  /// communicator's own that sleeps while there is nothing to do, or "caller", nobody: calls move
  /// on only in `start`, `test`, `wait` and `progress` (RONDO_PROGRESS). Ranks may differ.
  std::string progress = "thread";
  /// The bits of all_reduce, reduce and reduce_scatter follow from the inputs alone: the same over
  /// every transport, for every algorithm, segment size and layout of the ranks on hosts
  /// (RONDO_DETERMINISTIC). Each element is combined in rank order, by one rank, rounded once;
  /// algorithms that do otherwise are not chosen, and passed over where one is forced.
  /// InvalidArgument beside a wire format, also where nobody uses tcp.
  bool deterministic = false;
  /// What is received, combined and sent on as one piece, in bytes: a multiple of 64 up to 1 GiB
  /// (RONDO_SEGMENT_BYTES). For measurements and tests. The default is long enough to hide a
  /// message's cost, and short enough for a segment to be in the cache when it is sent on.
  /// 0: 64 KiB inside a host, 256 KiB where ranks are joined by tcp.
  std::size_t segment_bytes = 0;
  /// How fast the ranks' links are (RONDO_LINKS): "equal", "measure" (between hosts, when the world
  /// is made, by messages of up to 16 MiB; worlds of three hosts and more), or each rank's speed in
  /// any unit, as in "1,1,1,0.2". Rings then pass over fast links, and ranks with slow links own
  /// less of the data of an all-reduce (docs/links.md). Measured speeds may differ from run to run,
  /// and with them the algorithm that is chosen.
  std::string links = "equal";
  /// What algorithms are chosen by (RONDO_TUNING, docs/tuning.md): "off", costs by formulas with
  /// constants that are built in; "measure", the simulation with constants of these hosts, read
  /// from the folder of caches, or measured when the world is made (seconds) and kept there; or the
  /// path of such a file, to share or pin it. Rank 0 reads the file and hands it out. Choices
  /// decide the order in which floating-point sums are made, and so their last bits: hence off by
  /// default.
  std::string tuning = "off";
  /// What f32 data travels as between hosts (over tcp): "none" (as it is), "bf16", "f16", "f8e4m3",
  /// "f8e5m2" or "int8" (RONDO_WIRE_FORMAT). For all_reduce and reduce_scatter with sum or average,
  /// and all_gather; nothing else is changed. Results are rounded to the format, alike on all ranks
  /// (docs/wire-formats.md).
  std::string wire_format = "none";
  /// Whether what a wire format loses in a reduction is made up for in the next one of the same
  /// buffers, at the price of as much memory: "on", "off", or "auto", which is "on" for 8-bit
  /// formats (RONDO_ERROR_FEEDBACK).
  std::string error_feedback = "auto";
  /// A JSON file with a schedule of the user's, or its text (docs/your-own-schedule.md,
  /// rondo/schedule_builder.h), proved before it runs:
  /// the calls that it is for go by it, whatever `algorithm` says; empty: none (RONDO_SCHEDULE).
  /// The same file on all ranks.
  std::string schedule;
  /// How buffers on devices are combined (RONDO_DEVICE_PATH, docs/devices.md):
  ///   "auto"     by the cheapest of "library", "devices" and "messages" that all ranks have, or
  ///              else "host"
  ///   "library"  whole, by the library of the devices' maker (NCCL, a plug-in's), which has to be
  ///              the same on all ranks; what it can't do as auto without it
  ///   "devices"  by our schedules, on the devices where all ranks' are of one kind and can reach
  ///              each other's memory, between hosts by way of page-locked memory, and else on the
  ///              host
  ///   "kernel"   the same, by one kernel a rank on the CUDA devices of one host, where they run
  ///              at once: a process shares no device with another, and they are free for it
  ///   "messages" by our schedules, with messages of that library between the devices
  ///   "host"     on the host; where ranks are on several kinds of devices only this or auto may be
  /// Auto makes no call whole where an algorithm, a wire format or determinism is asked for.
  std::string device_path = "auto";
};

/// What one rank has exchanged with one peer, between devices too (see docs/devices.md).
struct PeerTraffic {
  int peer = 0;
  std::string transport;  ///< "inproc", "shm", "tcp"
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
};

/// How the last call of a communicator was run.
struct CallInfo {
  std::string_view algorithm = "none";  ///< "ring", "direct", ...; "identity" in a world of 1
  /// That of all pairs, or "mixed"; "emulated" or "cuda" where the data stayed on the devices.
  std::string_view transport = "none";
  std::string_view wire_format = "none";  ///< "none" also where the option doesn't apply to it
  /// By what the algorithm was chosen by, by a tuning for memory of this rank's kind and at the
  /// pace of when the communicator was made (docs/tuning.md); of a schedule of the user's by
  /// simulation, as explain_plan does; where the data stayed on the devices, by the formula of that
  /// way, whatever the algorithm. 0: unknown.
  double predicted_us = 0;
  double took_us = 0;  ///< on this rank; 0 with RONDO_TRACE=off
};

/// A call that was checked and planned once, to be run many times with the same buffers, each time
/// in the order of its stream, if it has one (Call::on). Move-only. It may outlive its
/// communicator: its calls are then InvalidArgument.
/// Threads: as the communicator's.
class RONDO_API Prepared {
 public:
  /// One that was moved from can only be assigned to or destroyed.
  Prepared(Prepared&&) noexcept;
  Prepared& operator=(Prepared&&) noexcept;
  ~Prepared();

  /// The blocking call. Errors: Mismatch, PeerLost, Timeout, Cancelled.
  void run();
  /// The asynchronous one. A second start while the first is under way is a second call.
  Work start();

 private:
  friend class Communicator;
  class Impl;
  explicit Prepared(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// One rank of a world: the handle of one place. Move-only.
///
/// Every rank makes the same calls in the same order, with equal counts, types and ops; a call
/// that differs is an error (Mismatch) on the ranks that see it, never a hang or a wrong sum.
/// After Mismatch, Timeout or PeerLost the communicator can't be used any more, but after the
/// Timeout of a message alone (Call::within), which says so.
/// Destroying it while calls are under way gives them up: they fail with Cancelled, here and on
/// every other rank.
/// A forked child must not use its copy, but may destroy it, or end: the world stays its parent's.
/// Threads: one thread per handle; a second one inside a call is an error (InvalidArgument) that
/// leaves the communicator usable. What only looks (`last_call`, `traffic`, `metrics`) is refused
/// beside a call, but a call that comes while another thread looks isn't: it waits for the look.
class RONDO_API Communicator {
 public:
  /// Joins the world that the launcher set up, with one place (`device`). With no launcher the
  /// world is 1 and every collective is an identity.
  /// Errors: InvalidArgument, Timeout (names the missing ranks), System.
  static Communicator create(const CommunicatorOptions& options = {},
                             Device device = Device::host());

  /// Joins with several places of this process; ranks of one process are neighbours, in order.
  /// Each handle is then driven by a thread of its own.
  static std::vector<Communicator> create(const std::vector<Device>& places,
                                          const CommunicatorOptions& options = {});

  /// The same where no launcher has started the processes: they meet as `bootstrap` says.
  static Communicator create(const Bootstrap& bootstrap, const CommunicatorOptions& options = {},
                             Device device = Device::host());
  static std::vector<Communicator> create(const Bootstrap& bootstrap,
                                          const std::vector<Device>& places,
                                          const CommunicatorOptions& options = {});

  /// A handle that was moved from can only be assigned to or destroyed.
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  ~Communicator();

  int rank() const;
  int size() const;
  Device device() const;

  /// Combines `data` element-wise over all ranks; every rank ends with the same bits.
  /// Shape:  any count, also 0 and fewer than ranks; in place.
  /// Cost:   ring: 2(p-1) steps, 2(p-1)/p of the bytes sent by each rank.
  /// Errors: InvalidArgument, Mismatch, PeerLost, Timeout.
  /// Source: Patarasuk & Yuan, JPDC 69 (2009).
  void all_reduce(const Buffer& data, const Reduction& op = ReduceOp::kSum);
  /// The same, out of place: `input` and `output` have equal counts and don't overlap.
  void all_reduce(const ConstBuffer& input, const Buffer& output,
                  const Reduction& op = ReduceOp::kSum);

  /// Every rank ends with all ranks' `input`, in rank order.
  /// Shape:  output.count == input.count * size(); in place where input lies at its own position
  ///         in output.
  void all_gather(const ConstBuffer& input, const Buffer& output);

  /// Rank r ends with part r of the combined `input`.
  /// Shape:  input.count == output.count * size(); in place where output lies at its own position
  ///         in input (the rest of input is then undefined).
  void reduce_scatter(const ConstBuffer& input, const Buffer& output,
                      const Reduction& op = ReduceOp::kSum);

  /// Every rank ends with the `data` of rank `root`.
  void broadcast(const Buffer& data, int root);

  /// Rank `root` ends with the combined `input` of all ranks; the other ranks' `output` isn't
  /// looked at.
  /// Shape:  output.count == input.count at the root; in place there where they are the same.
  void reduce(const ConstBuffer& input, const Buffer& output, int root,
              const Reduction& op = ReduceOp::kSum);

  /// Rank `root` ends with all ranks' `input`, in rank order; the other ranks' `output` isn't
  /// looked at. Shape:  output.count == input.count * size() at the root; in place there where
  /// input lies at
  ///         its own position in output.
  void gather(const ConstBuffer& input, const Buffer& output, int root);

  /// Rank r ends with part r of rank `root`'s `input`; the other ranks' `input` isn't looked at.
  /// Shape:  input.count == output.count * size() at the root; in place there where output lies at
  ///         its own position in input.
  void scatter(const ConstBuffer& input, const Buffer& output, int root);

  /// Part i of rank r's `input` becomes part r of rank i's `output`.
  /// Shape:  output.count == input.count, a multiple of size(); never in place.
  /// Cost:   p-1 steps; (p-1)/p of the bytes sent by each rank.
  void all_to_all(const ConstBuffer& input, const Buffer& output);

  /// The same with parts of different sizes, one behind the other: part r has counts[r] elements.
  /// Every rank gives the same counts to all_gather_v and reduce_scatter_v; those of gather_v and
  /// scatter_v are the root's to give, and not looked at elsewhere.
  /// Errors: as above; Mismatch where two ranks differ about the size of a part.
  void all_gather_v(const ConstBuffer& input, const Buffer& output,
                    std::span<const std::size_t> counts);
  void reduce_scatter_v(const ConstBuffer& input, const Buffer& output,
                        std::span<const std::size_t> counts, const Reduction& op = ReduceOp::kSum);
  void gather_v(const ConstBuffer& input, const Buffer& output, std::span<const std::size_t> counts,
                int root);
  void scatter_v(const ConstBuffer& input, const Buffer& output,
                 std::span<const std::size_t> counts, int root);
  /// Sends input_counts[i] elements to rank i and receives output_counts[i] from it.
  void all_to_all_v(const ConstBuffer& input, std::span<const std::size_t> input_counts,
                    const Buffer& output, std::span<const std::size_t> output_counts);

  /// Returns once every rank has called it.
  void barrier();

  /// Sends `data` to rank `peer`, whose receive with the same tag, type and count takes it. Beside
  /// the collectives: it has no place in their order. Messages of one pair and tag arrive in order.
  /// Up to 64 KiB are copied and go out before anybody receives them: to a rank of the same host 32
  /// messages, 256 KiB of them, even while it makes no call; over tcp as much of that as the
  /// connection takes. A rank that waits in a call of its own, of whatever kind, keeps more (at
  /// most 1024 messages and 4 MiB from each rank, itself included). Further and longer ones wait
  /// for the receive. Returns once `data` may be written again. Memory of the host only. Errors:
  /// InvalidArgument, Unsupported, Mismatch (count or type), PeerLost, Timeout.
  void send(const ConstBuffer& data, int peer, int tag = 0);
  void receive(const Buffer& data, int peer, int tag = 0);

  /// Makes a call and returns once it is done: the blocking form of `start`, for calls with a
  /// deadline of their own, or that are values. Errors: as the function of the call's name.
  void run(const Call& call);

  /// Starts a call and returns: it runs behind those that were started before, beside what this
  /// thread does next. Blocking calls may be mixed with started ones; they wait their turn.
  /// At most 4096 are outstanding: a further start waits for the oldest.
  /// Errors: InvalidArgument and Unsupported at once, and that of a communicator that has failed;
  /// the others by the Work.
  Work start(const Call& call);

  /// For programs with a loop of their own (poll, epoll, libuv): a descriptor that is readable
  /// while `progress` has something to do: started calls have ended, or, where `progress` is
  /// "caller", those that are outstanding, which nobody else moves on, can be: a peer has come, or
  /// it is time to look how long a call has been waiting, ten times a second at most in a long
  /// wait. Level-triggered; the communicator's, which closes it; only to be polled. Calls that
  /// ended before the first call of this function aren't counted. Errors: System.
  int descriptor();
  /// Moves started calls on where nobody else does, without waiting, and returns how many have
  /// ended since the last time; 0 before `descriptor` was called. May be 0 though the descriptor
  /// was readable. Their Works are done by then.
  std::size_t progress();

  /// Checks and plans a call without making it. Collective in nothing: only running it is.
  /// Errors: InvalidArgument, Unsupported, System.
  Prepared prepare(const Call& call);

  /// A communicator of those ranks that give the same `color`, ordered by `key` and then by rank;
  /// none for those that give no color. Collective: every rank calls it. The two communicators
  /// share nothing but registered memory: calls of one don't wait for calls of the other.
  /// Errors: Timeout and System, on all ranks, where one can't connect; this communicator stays
  /// usable. Those of a call of this communicator, but not on ranks that have theirs already: one
  /// that then dies, or aborts or destroys this communicator, makes it fail on slower ranks.
  std::optional<Communicator> split(std::optional<int> color, int key = 0);

  /// Measures every algorithm of every collective on these hosts, for choices from now on: the text
  /// of a tuning file (docs/tuning.md), the same on all ranks; "" in a world of one. Collective:
  /// every rank calls it, and nothing is outstanding. Cost: seconds. Errors: as a collective call.
  std::string measure_tuning();

  /// What is chosen for each size, measured beside all other algorithms of the collective: the
  /// median of `rounds` calls of f32 (and as many to find the fastest by) on such memory. `bytes`:
  /// of one rank's larger buffer. What is chosen is the forced algorithm where there is one; a
  /// schedule of the user's isn't measured, and doesn't count here. Collective, as measure_tuning.
  /// Errors: InvalidArgument (`rounds` isn't 1 to 10,000: nothing is sent), those of a collective
  /// call.
  std::vector<MeasuredChoice> measure_choices(Collective collective,
                                              const std::vector<std::size_t>& bytes,
                                              int rounds = 15,
                                              MemoryKind memory = MemoryKind::kOrdinary);

  /// Gives up for the whole world: ranks that wait in a call, and every later call of any rank,
  /// fail with `cause`'s code and text and this rank as the culprit. For a program that can't make
  /// the call that its peers are waiting in. Waits for no other process; once the communicator has
  /// failed it does nothing. Threads: any, also while another one is inside a call of this handle
  /// (a watchdog), which gives up when it next waits; for that this one waits a tenth of a second
  /// at most.
  void abort(const Error& cause);

  /// One entry per peer, in rank order.
  std::vector<PeerTraffic> traffic() const;

  CallInfo last_call() const;

  /// Totals since the communicator was made, as text that Prometheus reads (docs/tracing.md):
  /// calls, errors, bytes, seconds by part and a histogram of latencies by collective, algorithm
  /// and transport; bytes and waits by peer. With RONDO_TRACE=off bytes by peer alone.
  std::string metrics() const;

  /// Calls `function` at the end of each call that has begun, from now on, on the thread that moved
  /// it on; an empty one: no longer. Nothing is outstanding. Errors: Unsupported (RONDO_TRACE=off;
  /// a world of one rank).
  void set_trace(TraceFunction function);

  /// Writes the last calls (RONDO_TRACE_CALLS) to a file that `rondo trace`, chrome://tracing and
  /// Perfetto load. Errors: Unsupported (RONDO_TRACE=off; a world of one rank), System. Threads:
  /// any.
  void write_trace(const std::string& path) const;

 private:
  class Impl;
  explicit Communicator(std::unique_ptr<Impl> impl);
  static std::vector<Communicator> create(const std::vector<Device>& places,
                                          const CommunicatorOptions& options,
                                          const Bootstrap* bootstrap);
  std::unique_ptr<Impl> impl_;
};

/// Host memory that ranks of the same host read and write in place (no copy through slots).
/// It belongs to the process, not to a communicator, and may be used with any. Move-only.
/// Threads: any.
class RONDO_API RegisteredMemory {
 public:
  /// Errors: System (no memory: the request, and what is left).
  explicit RegisteredMemory(std::size_t bytes);
  RegisteredMemory(RegisteredMemory&& other) noexcept;
  RegisteredMemory& operator=(RegisteredMemory&& other) noexcept;
  ~RegisteredMemory();

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace v1
}  // namespace rondo
