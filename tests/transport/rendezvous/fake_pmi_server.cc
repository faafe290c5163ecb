#include "tests/transport/rendezvous/fake_pmi_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

namespace rondo::rendezvous {
namespace {

void say(int fd, const std::string& line) {
  (void)::send(fd, line.data(), line.size(), MSG_NOSIGNAL);
}

}  // namespace

FakePmiServer::FakePmiServer(int count, Options options)
    : count_(count), options_(std::move(options)), heard_(static_cast<std::size_t>(count)) {
  if (options_.at_port) listen();
  for (int index = 0; index < count; ++index) {
    std::array<int, 2> ends{-1, -1};
    if (!options_.at_port) socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data());
    theirs_.emplace_back(ends[0]);
    ours_.emplace_back(ends[1]);
  }
  for (int index = 0; index < count; ++index) {
    threads_.emplace_back([this, index] { serve(index); });
  }
}

FakePmiServer::~FakePmiServer() {
  if (listening_.valid()) shutdown(listening_.get(), SHUT_RDWR);
  {
    const std::lock_guard lock(mutex_);
    for (const UniqueFd& fd : ours_) {
      if (fd.valid()) shutdown(fd.get(), SHUT_RDWR);
    }
  }
  for (std::thread& thread : threads_) thread.join();
}

void FakePmiServer::listen() {
  listening_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof name;
  if (bind(listening_.get(), reinterpret_cast<sockaddr*>(&name), bytes) != 0) return;
  ::listen(listening_.get(), count_);
  getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&name), &bytes);
  port_ = ntohs(name.sin_port);
}

int FakePmiServer::own_end(int index) {
  const int accepted =
      options_.at_port ? accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC) : -1;
  const std::lock_guard lock(mutex_);
  UniqueFd& own = ours_[static_cast<std::size_t>(index)];
  if (accepted >= 0) own.reset(accepted);
  return own.get();
}

PmiEndpoint FakePmiServer::endpoint(int index) const {
  PmiEndpoint endpoint{.launcher = "the fake"};
  if (options_.at_port) {
    endpoint.address = fmt::format("127.0.0.1:{}", port_);
    endpoint.id = index;
  } else {
    endpoint.fd = theirs_[static_cast<std::size_t>(index)].get();
  }
  return endpoint;
}

std::vector<std::string> FakePmiServer::heard(int index) const {
  const std::lock_guard lock(mutex_);
  return heard_[static_cast<std::size_t>(index)];
}

std::size_t FakePmiServer::longest_line() const {
  const std::lock_guard lock(mutex_);
  return longest_line_;
}

void FakePmiServer::serve(int index) {
  const int fd = own_end(index);
  PmiReader reader;
  std::array<char, 4096> bytes{};
  for (ssize_t got = 1; got > 0;) {
    got = recv(fd, bytes.data(), bytes.size(), 0);
    if (got > 0) reader.feed({bytes.data(), static_cast<std::size_t>(got)});
    for (auto message = reader.next(); message.ok() && *message; message = reader.next()) {
      if (!obey(fd, index, **message)) {
        shutdown(fd, SHUT_RDWR);
        return;
      }
    }
  }
}

bool FakePmiServer::obey(int fd, int index, const PmiMessage& message) {
  const std::lock_guard lock(mutex_);
  heard_[static_cast<std::size_t>(index)].push_back(message.command);
  longest_line_ = std::max(longest_line_, encode(message).size());
  const auto instead =
      options_.mischief ? options_.mischief(index, message) : std::optional<std::string>();
  if (instead == kHangUp) return false;
  if (instead) {
    say(fd, *instead);
  } else if (message.command == "barrier_in") {
    enter_barrier(fd);
  } else {
    say(fd, answer(index, message));
  }
  return true;
}

std::string FakePmiServer::answer(int index, const PmiMessage& message) {
  if (message.command == "initack") {
    return fmt::format("cmd=initack\ncmd=set size={}\ncmd=set rank={}\ncmd=set debug=0\n", count_,
                       index);
  }
  if (message.command == "init") {
    return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
  }
  if (message.command == "get_maxes") {
    return fmt::format("cmd=maxes kvsname_max=256 keylen_max=64 vallen_max={}\n",
                       options_.value_bytes);
  }
  if (message.command == "get_my_kvsname") return "cmd=my_kvsname kvsname=kvs_1_0\n";
  if (message.command == "put") return put(message);
  if (message.command == "get") return get(message);
  if (message.command == "finalize") return "cmd=finalize_ack\n";
  return "cmd=unknown\n";
}

std::string FakePmiServer::put(const PmiMessage& message) {
  const std::string& key = *message.find("key");
  const std::string& value = *message.find("value");
  const bool fits = static_cast<int>(value.size()) < options_.value_bytes && key.size() < 64;
  if (!fits || seen_.contains(key) || !staged_.emplace(key, value).second) {
    return "cmd=put_result rc=-1 msg=refused\n";
  }
  return "cmd=put_result rc=0 msg=success\n";
}

std::string FakePmiServer::get(const PmiMessage& message) const {
  const auto found = seen_.find(*message.find("key"));
  if (found == seen_.end()) return "cmd=get_result rc=-1 msg=key_not_found value=unknown\n";
  return fmt::format("cmd=get_result rc=0 msg=success value={}\n", found->second);
}

void FakePmiServer::enter_barrier(int fd) {
  in_barrier_.push_back(fd);
  if (static_cast<int>(in_barrier_.size()) < count_) return;
  seen_.merge(staged_);
  for (const int waiting : in_barrier_) say(waiting, "cmd=barrier_out\n");
  in_barrier_.clear();
}

}  // namespace rondo::rendezvous
