#include "tools/rondo/run/output_sink.h"

#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace rondo::tool {
namespace {

/// A pipe that poll calls writable takes PIPE_BUF bytes without blocking; a file takes anything.
std::size_t piece_bytes_of(int fd) {
  struct stat file {};
  return fstat(fd, &file) == 0 && S_ISREG(file.st_mode) ? SSIZE_MAX : PIPE_BUF;
}

}  // namespace

OutputSink::OutputSink(int fd) : fd_(fd), piece_bytes_(piece_bytes_of(fd)) {}

void OutputSink::write_some() {
  // Far ahead of the reader, one call writes many pieces; the erase below stays rare that way.
  std::size_t written = 0;
  while (!closed_ && written < buffer_.size()) {
    pollfd writable{fd_, POLLOUT, 0};
    if (poll(&writable, 1, 0) <= 0) break;
    const std::size_t bytes = std::min(piece_bytes_, buffer_.size() - written);
    const ssize_t taken = write(fd_, buffer_.data() + written, bytes);
    if (taken >= 0) {
      written += static_cast<std::size_t>(taken);
    } else if (errno != EINTR && errno != EAGAIN) {
      give_up(errno);
    }
  }
  buffer_.erase(0, closed_ ? std::string::npos : written);
}

void OutputSink::give_up(int error) {
  closed_ = true;
  lost_reader_ = error == EPIPE;
  if (!lost_reader_) failure_ = error;
}

void OutputSink::flush() {
  while (wants_write()) {
    pollfd writable{fd_, POLLOUT, 0};
    poll(&writable, 1, -1);
    write_some();
  }
}

}  // namespace rondo::tool
