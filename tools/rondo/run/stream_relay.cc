#include "tools/rondo/run/stream_relay.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace rondo::tool {

StreamRelay::StreamRelay(UniqueFd pipe, std::string prefix, OutputSink& sink)
    : pipe_(std::move(pipe)), prefixer_(std::move(prefix)), sink_(sink) {}

int StreamRelay::wanted_fd() const { return sink_.is_full() ? -1 : pipe_.get(); }

bool StreamRelay::take_piece() {
  if (!pipe_.valid()) return false;
  if (sink_.has_lost_reader()) {
    pipe_.reset();  // the rank learns it as if it wrote there itself
    return false;
  }
  std::array<char, 64 * 1024> bytes{};
  const ssize_t count = read(pipe_.get(), bytes.data(), bytes.size());
  if (count > 0) {
    prefixer_.feed({bytes.data(), static_cast<std::size_t>(count)}, sink_.buffer());
    return true;
  }
  if (count < 0 && errno == EINTR) return true;
  if (count == 0 || errno != EAGAIN) finish();
  return false;
}

void StreamRelay::read_some() { take_piece(); }

void StreamRelay::drain() {
  while (take_piece()) {
  }
}

void StreamRelay::finish() {
  prefixer_.finish(sink_.buffer());
  pipe_.reset();
}

}  // namespace rondo::tool
