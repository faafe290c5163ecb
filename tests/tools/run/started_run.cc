#include "tests/tools/run/started_run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <sstream>

#include "core/unique_fd.h"

namespace rondo::tool {
namespace {

using std::chrono::seconds;

constexpr seconds kPatience{60};

/// In the child: `rondo run` with `words`.
void become_run(std::vector<std::string> words, const std::vector<int>& ignored) {
  for (const int number : {SIGHUP, SIGINT, SIGTERM}) signal(number, SIG_DFL);
  for (const int number : ignored) signal(number, SIG_IGN);
  words.insert(words.begin(), {RONDO_TOOL, "run"});
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(99);
}

/// In the child.
void place_streams(int out, int err) {
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(out, 1);
  dup2(err, 2);
}

/// In the child, whose terminal it is.
void stop_writers_in_background() {
  termios terminal{};
  tcgetattr(STDIN_FILENO, &terminal);
  terminal.c_lflag |= TOSTOP;
  tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
}

}  // namespace

struct StartedRun::Collected {
  std::mutex mutex;
  std::condition_variable more;
  std::string out;
  std::string err;
  std::vector<std::jthread> readers;

  void read_into(std::string& text, UniqueFd fd) {
    readers.emplace_back([this, &text, fd = std::move(fd)] {
      std::array<char, 4096> bytes{};
      ssize_t count = 0;
      while ((count = read(fd.get(), bytes.data(), bytes.size())) > 0) {
        const std::lock_guard lock(mutex);
        text.append(bytes.data(), static_cast<std::size_t>(count));
        more.notify_all();
      }
    });
  }
};

StartedRun::StartedRun(std::vector<std::string> words, const std::vector<int>& ignored)
    : collected_(new Collected) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  EXPECT_EQ(pipe2(out.data(), O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(err.data(), O_CLOEXEC), 0);
  pid_ = fork();
  if (pid_ == 0) {
    place_streams(out[1], err[1]);
    become_run(std::move(words), ignored);
  }
  close(out[1]);
  close(err[1]);
  collected_->read_into(collected_->out, UniqueFd(out[0]));
  collected_->read_into(collected_->err, UniqueFd(err[0]));
}

StartedRun::~StartedRun() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void StartedRun::signal(int number) const { EXPECT_EQ(kill(pid_, number), 0); }

void StartedRun::wait_for_output(const std::string& text) {
  std::unique_lock lock(collected_->mutex);
  const bool came = collected_->more.wait_for(lock, kPatience, [&] {
    return (collected_->out + collected_->err).find(text) != std::string::npos;
  });
  EXPECT_TRUE(came) << "no '" << text << "' in: " << collected_->out << collected_->err;
}

RunResult StartedRun::finish() {
  int status = 0;
  EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
  pid_ = -1;
  collected_->readers.clear();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return {code, collected_->out, collected_->err};
}

RunResult run_to_end(std::vector<std::string> words) {
  return StartedRun(std::move(words)).finish();
}

std::string on_stopping_terminal(std::vector<std::string> words) {
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    stop_writers_in_background();
    alarm(static_cast<unsigned>(kPatience.count()));  // its program inherits that
    become_run(std::move(words), {});
  }
  const UniqueFd seen_by_us(terminal);
  std::string seen;
  std::array<char, 4096> bytes{};
  for (ssize_t count = 0; (count = read(terminal, bytes.data(), bytes.size())) > 0;) {
    seen.append(bytes.data(), static_cast<std::size_t>(count));
  }
  EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
  return seen;
}

std::vector<std::string> shells(int ranks, const std::string& script) {
  return {"-n", std::to_string(ranks), "--", "/bin/sh", "-c", script};
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

pid_t pid_after(const std::string& text, const std::string& word) {
  return std::atoi(text.c_str() + text.find(word) + word.size());
}

bool ends(pid_t pid) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (kill(pid, 0) == 0) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace rondo::tool
