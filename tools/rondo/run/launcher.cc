#include "tools/rondo/run/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/random_bits.h"
#include "tools/rondo/run/child.h"
#include "tools/rondo/run/open_files.h"
#include "tools/rondo/run/run_error.h"
#include "tools/rondo/run/store_socket.h"
#include "tools/rondo/run/waited_for.h"

namespace rondo::tool {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// How often processes that outlive their rank are looked for: of those whose parent still lives
/// nothing tells the end.
constexpr milliseconds kLeftoversInterval{20};

bool is_at_terminal() { return isatty(STDOUT_FILENO) == 1 || isatty(STDERR_FILENO) == 1; }

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  return variables;
}

struct Pipe {
  UniqueFd reading;
  UniqueFd writing;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw system_failure("cannot make a pipe", errno);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// A child that has ended, and stays to be reaped; 0: none.
pid_t ended_child() {
  siginfo_t child{};
  const int failed = waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT);
  return failed == 0 ? child.si_pid : 0;
}

Signals watch_signals() {
  signal(SIGCHLD, SIG_DFL);  // where it is ignored, the kernel keeps no end for us or for the ranks
  return Signals({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD});
}

}  // namespace

Launcher::Launcher(RunOptions options)
    : options_(std::move(options)),
      at_terminal_(options_.terminal && isatty(STDERR_FILENO) == 1),
      signals_(watch_signals()),
      open_files_before_(allow_open_files(options_.ranks)),
      out_(STDOUT_FILENO),
      err_(STDERR_FILENO) {
  ranks_.reserve(static_cast<std::size_t>(options_.ranks));
}

int Launcher::run() {
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a rank leaves behind becomes ours to reap
  {
    const StoreSocket store = open_store_socket(kMaxRanks);
    const WorldPlan world{.ranks = options_.ranks,
                          .job = random_bits(),
                          .store_address = store.address,
                          .store_fd = store.listening.get()};
    for (int rank = 0; rank < options_.ranks; ++rank) start_rank(world, rank);
  }  // the socket is rank 0's now: when it has ended, nobody may believe that the store will come
  if (options_.timeout) {
    timeout_at_ = steady_clock::now() + std::chrono::ceil<milliseconds>(*options_.timeout);
  }
  while (anything_left(steady_clock::now())) step();
  for (Rank& rank : ranks_) {
    for (StreamRelay& stream : rank.streams) {
      stream.drain();
      stream.finish();
    }
  }
  if (untold_ && !has_told_) say(*untold_);
  sigprocmask(SIG_SETMASK, &signals_.before(), nullptr);  // Ctrl-C ends us while others read
  out_.flush();
  check_sinks();
  err_.flush();
  check_sinks();
  const int code = shutdown_.exit_code();
  return code == 0 && output_lost_ ? kExitCannotRun : code;
}

bool Launcher::has_own_output(int rank) const {
  return options_.ranks == 1 || (rank == 0 && at_terminal_);
}

/// What others write on rank 0's terminal takes the place of a line that it changes in place.
std::string Launcher::wiped_line(const OutputSink& sink) const {
  return at_terminal_ && isatty(sink.fd()) == 1 ? "\r\x1b[K" : "";
}

std::string Launcher::prefix_of(int rank, const char* stream, const OutputSink& sink) const {
  std::string prefix = wiped_line(sink);
  if (options_.prefix == Prefix::kRank) prefix += fmt::format("[{}] ", rank);
  if (options_.prefix == Prefix::kRankAndStream) prefix += fmt::format("[{} {}] ", rank, stream);
  return prefix;
}

void Launcher::start_rank(const WorldPlan& world, int rank) {
  ChildPlan plan{.command = options_.command,
                 .environment = rank_environment(own_environment(), world, rank),
                 .kept_fd = rank == 0 ? world.store_fd : -1,
                 .blocked = signals_.before(),
                 .open_files = open_files_before_};
  // A terminal stops whoever reads it from another process group than its own.
  const bool own_stdin = rank == 0 && isatty(STDIN_FILENO) == 0;
  UniqueFd nothing;
  if (!own_stdin) {
    nothing.reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
    plan.stdin_fd = nothing.get();
  }
  Pipe out;
  Pipe err;
  std::vector<StreamRelay> streams;
  if (has_own_output(rank)) {
    plan.ignores_sigttou = is_at_terminal();
  } else {
    out = make_pipe();
    err = make_pipe();
    plan.stdout_fd = out.writing.get();
    plan.stderr_fd = err.writing.get();
    streams.emplace_back(std::move(out.reading), prefix_of(rank, "out", out_), out_);
    streams.emplace_back(std::move(err.reading), prefix_of(rank, "err", err_), err_);
  }
  ranks_.push_back({RankProcess(start_child(plan)), std::move(streams)});
}

bool Launcher::anything_left(Time now) {
  leftovers_ = false;
  bool running = false;
  for (Rank& rank : ranks_) {
    running = running || rank.process.running();
    leftovers_ = rank.process.has_leftovers(now) || leftovers_;
  }
  return running || leftovers_;
}

void Launcher::step() {
  wait_for_events(steady_clock::now());
  const Time now = steady_clock::now();
  move_output();
  check_sinks();
  serve_signals(now);
  check_deadlines(now);
}

void Launcher::wait_for_events(Time now) {
  events_ = {{signals_.fd(), POLLIN, 0}};
  for (const OutputSink* sink : {&out_, &err_}) {
    events_.push_back({sink->wants_write() ? sink->fd() : -1, POLLOUT, 0});
  }
  for (const Rank& rank : ranks_) {
    events_.push_back({rank.process.ended_fd(), POLLIN, 0});
    for (const StreamRelay& stream : rank.streams) {
      events_.push_back({stream.wanted_fd(), POLLIN, 0});
    }
  }
  poll(events_.data(), events_.size(), wait_ms(now));
}

int Launcher::wait_ms(Time now) const {
  std::optional<Time> wake = shutdown_.next_due();
  for (const std::optional<Time>& other : {timeout_at_, tell_waiting_at_}) {
    if (other) wake = std::min(wake.value_or(*other), *other);
  }
  if (leftovers_) wake = now + kLeftoversInterval;
  if (!wake) return -1;
  const auto left = std::chrono::ceil<milliseconds>(*wake - now).count();
  return static_cast<int>(std::clamp<milliseconds::rep>(left, 0, 60'000));
}

void Launcher::move_output() {
  auto event = events_.begin() + 1;
  for (OutputSink* sink : {&out_, &err_}) {
    if ((event++)->revents != 0) sink->write_some();
  }
  const Time now = steady_clock::now();
  for (std::size_t index = 0; index < ranks_.size(); ++index) {
    const bool ended = (event++)->revents != 0;
    for (StreamRelay& stream : ranks_[index].streams) {
      if ((event++)->revents != 0) stream.read_some();
    }
    if (ended) reap_rank(index, now);
  }
}

void Launcher::check_sinks() {
  for (const auto& [sink, name] : {std::pair{&out_, "output"}, std::pair{&err_, "error"}}) {
    const int error = sink->take_failure();
    if (error == 0) continue;
    output_lost_ = true;
    say(fmt::format("can't write to standard {}: {}", name, std::strerror(error)));
  }
}

void Launcher::serve_signals(Time now) {
  while (const int number = signals_.take()) {
    if (number == SIGCHLD) {
      reap_children(now);
      continue;
    }
    const bool stops = number == SIGINT || number == SIGTERM || number == SIGHUP;
    if (stops && shutdown_.is_asked_again(now)) {
      shutdown_.kill(128 + number, now);  // the ranks don't listen
      continue;
    }
    if (number == stop_asked_) continue;
    signal_all(number);  // ranks may ignore the one (SIGHUP, under nohup) and obey the other
    if (!stops || stop_asked_ != 0) continue;
    stop_asked_ = number;
    tell_waiting_at_ = now + kPatience;
  }
}

void Launcher::reap_rank(std::size_t index, Time now) {
  RankProcess& process = ranks_[index].process;
  const auto status = process.reap(now);
  if (!status) return;
  for (StreamRelay& stream : ranks_[index].streams) stream.drain();
  auto line = shutdown_.rank_ended(static_cast<int>(index), process.pid(), *status, now);
  const bool may_be_told = may_have_told(*status);
  if (may_be_told) has_told_ = has_told_ || has_written(ranks_[index]);
  if (!line) return;
  if (!may_be_told) say(*line);
  untold_ = may_be_told ? std::move(line) : std::nullopt;
}

bool Launcher::may_have_told(int wait_status) const {
  return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) > 0 &&
         WEXITSTATUS(wait_status) <= options_.highest_told_code;
}

/// What goes to our own descriptors isn't seen, and taken for granted.
bool Launcher::has_written(const Rank& rank) {
  return rank.streams.empty() || std::ranges::any_of(rank.streams, &StreamRelay::has_read);
}

/// What a rank leaves behind in a group of its own ends as our child, too, and nobody else looks
/// for it. A rank's end goes the way of all ranks' ends; left alone it would be found for ever.
void Launcher::reap_children(Time now) {
  while (const pid_t pid = ended_child()) {
    const auto rank = std::ranges::find_if(ranks_, [pid](const Rank& other) {
      return other.process.running() && other.process.pid() == pid;
    });
    if (rank == ranks_.end()) {
      waitpid(pid, nullptr, WNOHANG);
    } else {
      reap_rank(static_cast<std::size_t>(rank - ranks_.begin()), now);
    }
  }
}

void Launcher::check_deadlines(Time now) {
  if (timeout_at_ && now >= *timeout_at_) {
    timeout_at_.reset();
    say(fmt::format("{:g} s are over (--timeout): ending the ranks", options_.timeout->count()));
    shutdown_.stop(kExitTimeout, now);
  }
  if (tell_waiting_at_ && now >= *tell_waiting_at_) tell_waiting();
  if (const int number = shutdown_.due_signal(now)) signal_all(number);
}

void Launcher::tell_waiting() {
  tell_waiting_at_.reset();
  std::vector<WaitedFor> running;
  for (std::size_t index = 0; index < ranks_.size(); ++index) {
    const RankProcess& process = ranks_[index].process;
    if (process.running()) running.push_back({static_cast<int>(index), process.pid()});
  }
  if (!running.empty()) say(describe_waiting(stop_asked_, running));
}

void Launcher::say(const std::string& line) {
  err_.buffer() += wiped_line(err_) + "rondo run: " + line + "\n";
}

void Launcher::signal_all(int number) {
  for (const Rank& rank : ranks_) rank.process.signal(number);
}

}  // namespace rondo::tool
