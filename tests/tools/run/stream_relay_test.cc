#include "tools/rondo/run/stream_relay.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <utility>

namespace rondo::tool {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;

struct Pipe {
  UniqueFd reading;
  UniqueFd writing;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

TEST(StreamRelay, Drain_takesAllUpToTheEnd) {
  Pipe pipe = make_pipe();
  OutputSink sink(STDOUT_FILENO);
  StreamRelay relay(std::move(pipe.reading), "[3] ", sink);
  ASSERT_EQ(write(pipe.writing.get(), "one\ntwo", 7), 7);
  relay.drain();
  EXPECT_EQ(sink.buffer(), "[3] one\n");
  EXPECT_GE(relay.wanted_fd(), 0) << "others may still write";
  pipe.writing.reset();
  relay.drain();
  EXPECT_EQ(sink.buffer(), "[3] one\n[3] two\n");
  EXPECT_EQ(relay.wanted_fd(), -1);
}

// What a rank leaves behind in another session may write for ever, and faster than it is read.
TEST(StreamRelay, Drain_besideAWriterThatGoesOn_ends) {
  signal(SIGPIPE, SIG_IGN);
  Pipe pipe = make_pipe();
  fcntl(pipe.writing.get(), F_SETPIPE_SZ, 16 * kPieceBytes);
  const auto room = static_cast<std::size_t>(fcntl(pipe.writing.get(), F_GETPIPE_SZ));
  OutputSink sink(STDOUT_FILENO);
  StreamRelay relay(std::move(pipe.reading), "", sink);
  const std::string lines(room, '\n');
  ASSERT_EQ(write(pipe.writing.get(), lines.data(), room), static_cast<ssize_t>(room));
  // Not quite for ever: a relay that follows it shall fail here, and not eat all memory.
  const std::jthread writer([&] {
    for (int i = 0; i < 64 && write(pipe.writing.get(), lines.data(), room) > 0; ++i) {
    }
  });
  relay.drain();
  EXPECT_GE(sink.buffer().size(), room);
  EXPECT_LE(sink.buffer().size(), room + kPieceBytes);
  relay.finish();  // the writer learns that nobody reads any more
}

}  // namespace
}  // namespace rondo::tool
