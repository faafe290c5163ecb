// One file for all that knows both Asio and the peers: Asio compiles slowly, and splitting this one
// would make a third translation unit pay for it.

#include "transport/tcp/joiner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <charconv>
#include <chrono>
#include <deque>
#include <map>
#include <optional>

#include "core/log.h"
#include "core/process_limits.h"
#include "core/random_bits.h"
#include "transport/tcp/connection_options.h"
#include "transport/tcp/interface.h"
#include "transport/tcp/join_session.h"

namespace rondo::transport {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

std::string text_of(const tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  if (endpoint.address().is_v6()) return fmt::format("[{}]:{}", host, endpoint.port());
  return fmt::format("{}:{}", host, endpoint.port());
}

Result<tcp::endpoint> parse_address(const PeerAddress& peer) {
  const std::string& text = peer.address;
  const std::size_t colon = text.rfind(':');
  const auto host_end = colon == std::string::npos ? text.size() : colon;
  std::string host = text.substr(0, host_end);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + std::min(host_end + 1, text.size()), end, port);
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (error || parsed.ec != std::errc() || parsed.ptr != end || port == 0)
    return Status(
        ErrorCode::kInvalidArgument,
        fmt::format("rank {} has the tcp address \"{}\"; expected ip:port", peer.rank, text),
        peer.rank);
  return tcp::endpoint(address, port);
}

}  // namespace

class Joiner::Impl final : public JoinBoard {
 public:
  Impl(const Identity& own, const TcpOptions& options) : own_(own), options_(options) {}

  Status listen();
  const std::string& address() const { return address_; }
  Result<std::vector<JoinedPeer>> join(std::span<const PeerAddress> peers, Deadline deadline,
                                       const Look& look);

 private:
  struct Peer {
    JoinedPeer joined;
    std::uint64_t nonce = 0;
    std::string last_problem;
    bool complete() const {
      return joined.control.valid() && std::ranges::all_of(joined.data, &UniqueFd::valid);
    }
  };

  Hello hello_to(int rank, Purpose purpose, std::size_t socket = 0) const;
  Status expect(const PeerAddress& address);
  Status await_all(Deadline deadline, Lookout lookout);
  void dial(int rank, const tcp::endpoint& target);
  void accept();
  void not_accepted(const error_code& error);
  void welcome(tcp::socket socket);
  bool complete() const;
  Status missing() const;

  Status may_join(const Hello& hello) override;
  void joined(const Hello& hello, tcp::socket socket) override;
  void dropped(const Status& why) override;
  void dial_failed(int rank, const Status& why, bool refused) override;
  void no_descriptor(const Status& why) override;

  Identity own_;
  TcpOptions options_;
  std::string address_;
  std::uint64_t nonce_ = random_bits();
  std::map<int, Peer> peers_;
  std::string last_dropped_;
  Status failure_;
  std::optional<std::chrono::steady_clock::time_point> lacking_since_;  ///< descriptors
  bool left_pacing_ = false;  // all sockets of a process begin with the same
  asio::io_context io_;       // below what sessions refer to: they die with it
  tcp::acceptor acceptor_{io_};
  asio::steady_timer accept_pause_{io_};
  std::deque<std::weak_ptr<AcceptSession>> pending_;
};

Status Joiner::Impl::listen() {
  RONDO_ASSIGN(const std::string host, resolve_interface(options_.bind));
  error_code error;
  const tcp::endpoint any_port(asio::ip::make_address(host, error), 0);
  if (!error) acceptor_.open(any_port.protocol(), error);
  if (!error) ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
  if (!error) left_pacing_ = leave_pacing(acceptor_.native_handle());
  if (!error) acceptor_.bind(any_port, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) address_ = text_of(acceptor_.local_endpoint(error));
  if (error) return descriptor_error(fmt::format("listen on {}", host), error.value());
  return {};
}

Result<std::vector<JoinedPeer>> Joiner::Impl::join(std::span<const PeerAddress> peers,
                                                   Deadline deadline, const Look& look) {
  for (const PeerAddress& peer : peers) RONDO_TRY(expect(peer));
  for (const PeerAddress& peer : peers) {
    RONDO_ASSIGN(const tcp::endpoint target, parse_address(peer));
    if (peer.rank < own_.rank) dial(peer.rank, target);
  }
  accept();
  RONDO_TRY(await_all(deadline, Lookout(look)));
  std::vector<JoinedPeer> result;
  for (auto& [rank, peer] : peers_) result.push_back(std::move(peer.joined));
  return result;
}

Status Joiner::Impl::await_all(Deadline deadline, Lookout lookout) {
  while (!complete()) {
    const bool ran = io_.run_one_until(lookout.next(deadline)) > 0;
    RONDO_TRY(failure_);
    RONDO_TRY(lookout.look());
    const bool is_over = io_.stopped() || std::chrono::steady_clock::now() >= deadline;
    if (!ran && is_over && !complete()) return missing();
  }
  return {};
}

Status Joiner::Impl::expect(const PeerAddress& address) {
  const int rank = address.rank;
  if (rank < 0 || rank >= own_.world || rank == own_.rank || peers_.contains(rank))
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("rank {} of {} was told to connect to rank {}{}", own_.rank,
                              own_.world, rank, peers_.contains(rank) ? " twice" : ""));
  Peer& peer = peers_[rank];
  peer.joined.rank = rank;
  peer.joined.address = address.address;
  peer.last_problem = rank > own_.rank ? "it hasn't dialled this rank" : "no answer";
  return {};
}

Hello Joiner::Impl::hello_to(int rank, Purpose purpose, std::size_t socket) const {
  Hello hello;
  hello.purpose = purpose;
  hello.from = own_;
  hello.to = rank;
  hello.nonce = nonce_;
  hello.max_message_bytes = options_.max_message_bytes;
  hello.window = static_cast<std::uint32_t>(options_.window);
  hello.data_sockets = static_cast<std::uint8_t>(options_.sockets);
  hello.socket = static_cast<std::uint8_t>(socket);
  return hello;
}

void Joiner::Impl::dial(int rank, const tcp::endpoint& target) {
  const auto start = [&](const Hello& hello) {
    const milliseconds attempt(options_.dial_attempt_ms);
    std::make_shared<DialSession>(io_, *this, hello, target, attempt)->start();
  };
  start(hello_to(rank, Purpose::kControl));
  for (std::size_t i = 0; i < options_.sockets; ++i) start(hello_to(rank, Purpose::kData, i));
}

void Joiner::Impl::accept() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      welcome(std::move(socket));
      return accept();
    }
    not_accepted(error);
    accept_pause_.expires_after(milliseconds(10));
    accept_pause_.async_wait([this](error_code stopped) {
      if (!stopped) accept();
    });
  });
}

void Joiner::Impl::not_accepted(const error_code& error) {
  const Status why = descriptor_error("accepting a connection", error.value());
  last_dropped_ = why.message();
  const bool is_needed = std::ranges::any_of(peers_, [this](const auto& entry) {
    return entry.first > own_.rank && !entry.second.complete();
  });
  if (error == asio::error::no_descriptors && is_needed) no_descriptor(why);
}

void Joiner::Impl::welcome(tcp::socket socket) {
  lacking_since_.reset();
  std::erase_if(pending_, [](const auto& session) { return session.expired(); });
  if (pending_.size() >= options_.max_pending_hellos * options_.sockets) {
    // The oldest has been silent longest; a rank that loses its place so dials again.
    if (const auto oldest = pending_.front().lock()) oldest->evict();
    pending_.pop_front();
  }
  const auto session =
      std::make_shared<AcceptSession>(std::move(socket), *this, hello_to(-1, Purpose::kControl));
  pending_.push_back(session);
  session->start(milliseconds(options_.hello_timeout_ms));
}

Status Joiner::Impl::may_join(const Hello& hello) {
  const auto found = peers_.find(hello.from.rank);
  if (found == peers_.end())
    return Status(ErrorCode::kMismatch, fmt::format("rank {} doesn't expect rank {} over tcp",
                                                    own_.rank, hello.from.rank));
  const Peer& peer = found->second;
  const bool known =
      peer.joined.control.valid() || std::ranges::any_of(peer.joined.data, &UniqueFd::valid);
  if (known && peer.nonce != hello.nonce)
    return Status(ErrorCode::kMismatch,
                  fmt::format("another process has joined as rank {} already", hello.from.rank));
  return {};
}

void Joiner::Impl::joined(const Hello& hello, tcp::socket socket) {
  lacking_since_.reset();
  error_code error;
  const int descriptor = socket.release(error);
  if (error) return dial_failed(hello.from.rank, Status(ErrorCode::kSystem, error.message()), true);
  set_connection_options(descriptor, left_pacing_);
  Peer& peer = peers_.at(hello.from.rank);
  peer.nonce = hello.nonce;
  JoinedPeer& joined = peer.joined;
  joined.data.resize(std::clamp<std::size_t>(hello.data_sockets, 1, options_.sockets));
  // The dialler of a broken connection comes again with the same nonce: the newer one is in use.
  UniqueFd connection(descriptor);
  if (hello.purpose == Purpose::kControl) {
    joined.control = std::move(connection);
  } else if (hello.socket < joined.data.size()) {  // the other side may offer more
    joined.data[hello.socket] = std::move(connection);
  }
  joined.window = std::clamp<std::size_t>(hello.window, 1, options_.window);
  joined.max_message_bytes =
      std::min<std::size_t>(hello.max_message_bytes, options_.max_message_bytes);
}

void Joiner::Impl::dropped(const Status& why) {
  last_dropped_ = why.message();
  log(LogLevel::kDebug, [&] {
    return fmt::format("tcp: rank {} dropped a connection: {}", own_.rank, why.to_string());
  });
}

void Joiner::Impl::dial_failed(int rank, const Status& why, bool refused) {
  Peer& peer = peers_.at(rank);
  peer.last_problem = why.message();
  if (refused && failure_.ok())
    failure_ = Status(why.code(),
                      fmt::format("rank {} ({}) refused rank {}: {}", rank, peer.joined.address,
                                  own_.rank, why.message()),
                      rank);
}

/// Those of strangers will be given back, and there is time to wait for that; those of this
/// process's other places, which are joining, too, within moments or not at all.
void Joiner::Impl::no_descriptor(const Status& why) {
  constexpr milliseconds kOthersJoin{1000};
  const bool may_pass =
      std::ranges::any_of(pending_, [](const auto& session) { return !session.expired(); });
  if (may_pass) return lacking_since_.reset();
  const auto now = std::chrono::steady_clock::now();
  if (!lacking_since_.has_value()) lacking_since_ = now;
  if (now - *lacking_since_ >= kOthersJoin && failure_.ok()) failure_ = why;
}

bool Joiner::Impl::complete() const {
  return std::all_of(peers_.begin(), peers_.end(),
                     [](const auto& entry) { return entry.second.complete(); });
}

Status Joiner::Impl::missing() const {
  std::vector<std::string> ranks;
  int culprit = kNoCulprit;
  for (const auto& [rank, peer] : peers_) {
    if (peer.complete()) continue;
    ranks.push_back(fmt::format("rank {} ({}: {})", rank, peer.joined.address, peer.last_problem));
    if (culprit == kNoCulprit) culprit = rank;
  }
  std::string text = fmt::format("rank {} waited in vain for tcp connections with {}", own_.rank,
                                 fmt::join(ranks, ", "));
  if (!last_dropped_.empty())
    text += fmt::format("; the last connection it dropped: {}", last_dropped_);
  return Status(ErrorCode::kTimeout, std::move(text), culprit);
}

Result<std::unique_ptr<Joiner>> Joiner::listen(const Identity& own, const TcpOptions& options) {
  try {
    auto impl = std::make_unique<Impl>(own, options);
    RONDO_TRY(impl->listen());
    return std::unique_ptr<Joiner>(new Joiner(std::move(impl)));
  } catch (const boost::system::system_error& error) {
    // Asio's event loop needs descriptors of its own.
    return descriptor_error("set up tcp", error.code().value());
  }
}

Joiner::Joiner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Joiner::~Joiner() = default;

const std::string& Joiner::address() const { return impl_->address(); }

Result<std::vector<JoinedPeer>> Joiner::join(std::span<const PeerAddress> peers, Deadline deadline,
                                             const Look& look) {
  return impl_->join(peers, deadline, look);
}

}  // namespace rondo::transport
