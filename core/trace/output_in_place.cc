#include "core/trace/output_in_place.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace rondo::trace {
namespace {

/// The stream of this program's that goes there; null: none does.
std::FILE* own_stream(const struct stat& file) {
  for (std::FILE* const stream : {stdout, stderr}) {
    struct stat own {};
    const int open = stream == stdout ? STDOUT_FILENO : STDERR_FILENO;
    if (fstat(open, &own) == 0 && own.st_dev == file.st_dev && own.st_ino == file.st_ino)
      return stream;
  }
  return nullptr;
}

/// The same open output, so that what either writes comes behind the other's.
UniqueFd duplicate_of(std::FILE* stream) {
  const int open = stream == stdout ? STDOUT_FILENO : STDERR_FILENO;
  return UniqueFd(fcntl(open, F_DUPFD_CLOEXEC, 0));
}

/// An invalid one with errno set where it can't be.
UniqueFd open_to_write(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return file;
  const int flags = fcntl(file.get(), F_GETFL);
  if (flags < 0 || fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK) < 0) return UniqueFd();
  return file;
}

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

}  // namespace

OutputInPlace open_in_place(const std::string& path) {
  OutputInPlace output;
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) {
    if (errno == ELOOP) output.error = ELOOP;
    return output;
  }
  output.stream = own_stream(file);
  if (output.stream != nullptr) {
    output.file = duplicate_of(output.stream);
  } else if (S_ISREG(file.st_mode) || S_ISDIR(file.st_mode)) {
    return output;
  } else {
    output.file = open_to_write(path);
  }
  output.is_one = output.file.valid();
  if (!output.is_one) output.error = errno;
  return output;
}

int write_in_place(const OutputInPlace& output, std::string_view text) {
  if (output.stream != nullptr) std::fflush(output.stream);
  const WithoutSigpipe here;
  while (!text.empty()) {
    const ssize_t written = ::write(output.file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace rondo::trace
