// The all-reduce by plain sockets, which a library can't be much faster than where messages are
// short: recursive doubling, one connection for each two ranks, a `send`, and then `recv` until all
// is there, with a yield where nothing is. No headers, no queue, no errors but the end. Barriers go
// the same way. For worlds of a power of two.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <rondo/communicator.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "bind.h"
#include "loop.h"

namespace {

int checked(int result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string(what) + " failed");
  return result;
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = port;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return name;
}

class Sockets : public bench::World {
 public:
  Sockets() : communicator_(rondo::Communicator::create()) {
    if (std::has_single_bit(static_cast<unsigned>(size()))) connect_all();
  }

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }
  void max(std::vector<double>& values) override {
    communicator_.all_reduce({values.data(), values.size()}, rondo::ReduceOp::kMax);
  }
  float* allocate(std::size_t count) override {
    return static_cast<float*>(std::calloc(count, sizeof(float)));
  }
  Call call(const std::string& name) override {
    if (name != "all_reduce" || peers_.empty()) return {};
    return [this](const bench::Data& data) { all_reduce(data.output, data.total); };
  }
  void barrier() override {
    float nothing = 0;
    if (peers_.empty()) return communicator_.barrier();
    all_reduce(&nothing, 1);
  }

 private:
  /// To the ranks whose numbers differ in one bit; the lower one listens.
  void connect_all() {
    sockaddr_in name = loopback(0);
    socklen_t length = sizeof name;
    auto* const address = reinterpret_cast<sockaddr*>(&name);
    const int listener = checked(::socket(AF_INET, SOCK_STREAM, 0), "socket");
    checked(::bind(listener, address, length), "bind");
    checked(::listen(listener, size()), "listen");
    checked(::getsockname(listener, address, &length), "getsockname");
    std::vector<std::int32_t> ports(static_cast<std::size_t>(size()));
    const std::int32_t own = name.sin_port;
    communicator_.all_gather({&own, 1, rondo::DataType::kI32},
                             {ports.data(), ports.size(), rondo::DataType::kI32});
    for (int bit = 1; bit < size(); bit *= 2) {
      const int peer = rank() ^ bit;
      peers_.push_back(
          rank() < peer ? checked(::accept(listener, nullptr, nullptr), "accept")
                        : dial(static_cast<std::uint16_t>(ports[static_cast<std::size_t>(peer)])));
      communicator_.barrier();  // so that each accepts the right one
      const int on = 1;
      ::setsockopt(peers_.back(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    ::close(listener);
  }

  static int dial(std::uint16_t port) {
    const sockaddr_in name = loopback(port);
    const int one = checked(::socket(AF_INET, SOCK_STREAM, 0), "socket");
    // As Rondo's: what BBR has begun the kernel paces for good.
    ::setsockopt(one, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
    checked(::connect(one, reinterpret_cast<const sockaddr*>(&name), sizeof name), "connect");
    return one;
  }

  void all_reduce(float* data, std::size_t count) {
    theirs_.resize(count);
    const std::size_t bytes = count * sizeof(float);
    for (const int peer : peers_) {
      std::size_t sent = 0;
      std::size_t received = 0;
      while (sent < bytes || received < bytes) {
        if (sent < bytes)
          move(sent, ::send(peer, reinterpret_cast<char*>(data) + sent, bytes - sent,
                            MSG_DONTWAIT | MSG_NOSIGNAL));
        if (!move(received, ::recv(peer, reinterpret_cast<char*>(theirs_.data()) + received,
                                   bytes - received, MSG_DONTWAIT)))
          ::sched_yield();
      }
      for (std::size_t i = 0; i < count; ++i) data[i] += theirs_[i];
    }
  }

  /// Whether any came or went.
  static bool move(std::size_t& sum, ssize_t bytes) {
    if (bytes == 0 || (bytes < 0 && errno != EAGAIN)) throw std::runtime_error("a peer has ended");
    if (bytes > 0) sum += static_cast<std::size_t>(bytes);
    return bytes > 0;
  }

  rondo::Communicator communicator_;
  std::vector<int> peers_;
  std::vector<float> theirs_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    bench::bind_to_own_core();
    Sockets world;
    return bench::run(world, {argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "socket_loop: %s\n", error.what());
    return 1;
  }
}
