#include "tools/rondo/run/stream_relay.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace rondo::tool {

StreamRelay::StreamRelay(UniqueFd pipe, std::string prefix, OutputSink& sink)
    : pipe_(std::move(pipe)), prefixer_(std::move(prefix)), sink_(sink) {}

int StreamRelay::wanted_fd() const { return sink_.is_full() ? -1 : pipe_.get(); }

std::size_t StreamRelay::take_piece() {
  if (!pipe_.valid()) return 0;
  if (sink_.has_lost_reader()) {
    pipe_.reset();  // the rank learns it as if it wrote there itself
    return 0;
  }
  std::array<char, 64 * 1024> bytes{};
  ssize_t count = 0;
  do {
    count = read(pipe_.get(), bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  if (count == 0 || (count < 0 && errno != EAGAIN)) finish();
  if (count <= 0) return 0;
  const auto taken = static_cast<std::size_t>(count);
  has_read_ = true;
  prefixer_.feed({bytes.data(), taken}, sink_.buffer());
  return taken;
}

void StreamRelay::read_some() { take_piece(); }

void StreamRelay::drain() {
  int there = 0;
  if (!pipe_.valid() || ioctl(pipe_.get(), FIONREAD, &there) != 0) return;
  // Until nothing is there any more, which shows the end; but whom a rank has left behind may write
  // faster than this reads.
  std::size_t left = static_cast<std::size_t>(there);
  for (std::size_t taken = take_piece(); taken > 0 && taken <= left; taken = take_piece()) {
    left -= taken;
  }
}

void StreamRelay::finish() {
  prefixer_.finish(sink_.buffer());
  pipe_.reset();
}

}  // namespace rondo::tool
