#include "core/trace/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "core/unique_fd.h"

namespace rondo::trace {
namespace {

bool write_all(std::FILE* file, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  const bool closed = std::fclose(file) == 0;  // the last bytes go to the disk here
  if (!written) errno = error;
  return written && closed;
}

/// What is written has to go where it is already open: to this program's own output, by its name in
/// /dev or by that of the file that a shell has led it to. -1: it is none.
int own_output(const struct stat& file) {
  for (const int open : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat own {};
    if (fstat(open, &own) == 0 && own.st_dev == file.st_dev && own.st_ino == file.st_ino)
      return open;
  }
  return -1;
}

/// The name behind all links, which stay and may lead to what is not there yet.
std::string behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as the system follows
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  return path;
}

int replace(const std::string& path, std::string_view text) {
  const std::string beside = fmt::format("{}.{}.part", path, getpid());
  std::FILE* const file = std::fopen(beside.c_str(), "we");
  if (file == nullptr) return errno;
  if (write_all(file, text) && std::rename(beside.c_str(), path.c_str()) == 0) return 0;
  const int error = errno;
  unlink(beside.c_str());
  return error;
}

/// Where a pipe's reader has gone that is an error, and doesn't end the process.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec at_once{};
    while (sigtimedwait(&signal_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

/// Behind what is there.
int write_to(int file, std::string_view text) {
  const WithoutSigpipe here;
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_to_own_output(int file, std::string_view text) {
  std::fflush(file == STDOUT_FILENO ? stdout : stderr);
  return write_to(file, text);
}

/// A device, a pipe or a socket must not become a file. A pipe that nobody reads is an error.
int write_in_place(const std::string& path, std::string_view text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return errno;
  const int flags = fcntl(file.get(), F_GETFL);
  if (flags < 0 || fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK) < 0) return errno;
  return write_to(file.get(), text);
}

int write_where_it_goes(const std::string& path, std::string_view text) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0)
    return errno == ELOOP ? ELOOP : replace(behind_links(path), text);
  if (const int own = own_output(file); own >= 0) return write_to_own_output(own, text);
  const bool can_be_replaced = S_ISREG(file.st_mode) || S_ISDIR(file.st_mode);
  return can_be_replaced ? replace(behind_links(path), text) : write_in_place(path, text);
}

}  // namespace

Status write_file(const std::string& path, std::string_view text) {
  const int error = write_where_it_goes(path, text);
  if (error == 0) return {};
  return system_error(fmt::format("can't write {}", path), error);
}

}  // namespace rondo::trace
