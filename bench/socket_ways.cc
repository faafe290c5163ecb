// What the ways into a TCP connection on loopback cost: `send`, which copies; `vmsplice` and
// `splice`, which hand over the pages of private memory; `sendfile`, which hands over those of a
// memfd, as registered memory is. The receiver copies out in each.
//   socket_ways [LARGEST_MIB]      prints all for each size (16)
// Two processes, each on a core of its own, send to each other at once; sources are written anew
// before each round; medians. Pages may be written again since a round ends when all was received.

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/peers/two_processes.h"

namespace {

constexpr std::size_t kFewRounds = 51;
constexpr std::size_t kRounds = 501;
constexpr int kPipeBytes = 1 << 20;  ///< what Linux lets everybody have
constexpr std::size_t kBetween = std::size_t{1} << 20;

using rondo::bench::Pair;

int checked(int result, const char* what) {
  if (result < 0) Pair::give_up(what);
  return result;
}

/// The two ends of one connection.
std::array<int, 2> connect_both() {
  const int listener = checked(::socket(AF_INET, SOCK_STREAM, 0), "socket");
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof name;
  auto* const address = reinterpret_cast<sockaddr*>(&name);
  checked(::bind(listener, address, length), "bind");
  checked(::listen(listener, 1), "listen");
  checked(::getsockname(listener, address, &length), "getsockname");
  const int one = checked(::socket(AF_INET, SOCK_STREAM, 0), "socket");
  checked(::connect(one, address, length), "connect");
  const std::array<int, 2> ends{one, checked(::accept(listener, nullptr, nullptr), "accept")};
  const int on = 1;
  for (const int end : ends) {
    ::setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::fcntl(end, F_SETFL, O_NONBLOCK);
  }
  ::close(listener);
  return ends;
}

class Sender {
 public:
  /// Takes its end of the connection; the other one is the peer's.
  Sender(Pair& pair, const std::array<int, 2>& ends, std::size_t largest)
      : pair_(pair), socket_(ends[static_cast<std::size_t>(pair.rank())]), target_(largest) {
    ::close(ends[static_cast<std::size_t>(1 - pair.rank())]);
    file_ = checked(::memfd_create("socket_ways", MFD_CLOEXEC), "memfd_create");
    checked(::ftruncate(file_, static_cast<off_t>(largest)), "ftruncate");
    checked(::pipe2(pipe_, O_NONBLOCK), "pipe2");
    checked(::fcntl(pipe_[0], F_SETPIPE_SZ, kPipeBytes), "F_SETPIPE_SZ");
    private_ = map(largest, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    shared_ = map(largest, MAP_SHARED, file_);
  }

  void measure(std::size_t bytes) {
    const double send = median(bytes, private_, &Sender::by_send);
    const double spliced = median(bytes, private_, &Sender::by_splice);
    const double file = median(bytes, shared_, &Sender::by_sendfile);
    if (pair_.rank() == 0) std::printf("%10zu %10.1f %10.1f %10.1f\n", bytes, send, spliced, file);
  }

 private:
  static std::byte* map(std::size_t bytes, int flags, int file) {
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    if (memory == MAP_FAILED) Pair::give_up("mmap");
    return static_cast<std::byte*>(memory);
  }

  /// Of what is left to send from `at` on as much as the kernel takes.
  using Way = ssize_t (Sender::*)(std::size_t at, std::size_t bytes);

  ssize_t by_send(std::size_t at, std::size_t bytes) {
    return ::send(socket_, private_ + at, bytes, MSG_NOSIGNAL);
  }
  ssize_t by_sendfile(std::size_t at, std::size_t bytes) {
    auto offset = static_cast<off_t>(at);
    return ::sendfile(socket_, file_, &offset, bytes);
  }
  /// Pages go through the pipe to the socket; what the pipe still has is behind `at`.
  ssize_t by_splice(std::size_t at, std::size_t bytes) {
    if (piped_ < bytes) {
      const iovec more{private_ + at + piped_, bytes - piped_};
      const ssize_t taken = ::vmsplice(pipe_[1], &more, 1, SPLICE_F_NONBLOCK);
      if (taken < 0 && errno != EAGAIN) return taken;
      if (taken > 0) piped_ += static_cast<std::size_t>(taken);
    }
    if (piped_ == 0) return -1;
    const ssize_t sent =
        ::splice(pipe_[0], nullptr, socket_, nullptr, piped_, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
    if (sent > 0) piped_ -= static_cast<std::size_t>(sent);
    return sent;
  }

  void exchange(std::size_t bytes, Way way) {
    std::size_t sent = 0;
    std::size_t received = 0;
    while (sent < bytes || received < bytes) {
      if (sent < bytes) add(sent, (this->*way)(sent, bytes - sent));
      if (received < bytes)
        add(received,
            ::recv(socket_, target_.data() + received, std::min(bytes - received, kBetween), 0));
    }
  }
  static void add(std::size_t& sum, ssize_t moved) {
    if (moved == 0) Pair::give_up("the peer has ended the connection");
    if (moved < 0 && errno != EAGAIN) Pair::give_up("the connection");
    if (moved > 0) sum += static_cast<std::size_t>(moved);
  }

  double median(std::size_t bytes, std::byte* source, Way way) {
    return pair_.median_us(
        bytes > (1U << 20) ? kFewRounds : kRounds,
        [&] { std::fill_n(source, bytes, static_cast<std::byte>(++round_)); },
        [&] { exchange(bytes, way); },
        [&] {
          for (const std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1})
            if (target_[at] != static_cast<std::byte>(round_)) std::abort();
        });
  }

  Pair& pair_;
  int socket_;
  int file_ = -1;
  int pipe_[2] = {-1, -1};
  std::byte* private_ = nullptr;
  std::byte* shared_ = nullptr;  ///< the file's
  std::vector<std::byte> target_;
  std::size_t piped_ = 0;
  unsigned int round_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t largest = (argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 16) << 20;
  const std::array<int, 2> ends = connect_both();
  std::puts("#    bytes    send us  splice us    file us");
  std::fflush(stdout);
  return rondo::bench::in_two_processes([&](Pair& pair) {
    Sender sender(pair, ends, largest);
    for (std::size_t bytes = 16'384; bytes <= largest; bytes *= 4) sender.measure(bytes);
  });
}
