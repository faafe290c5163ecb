#pragma once

// One connection of the TCP store's server: hello, then request by request.
// Threads: the server's.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "transport/rendezvous/store_service.h"

namespace rondo::rendezvous {

class TcpStoreSession;

/// What the sessions of one server share.
struct TcpStoreRoom {
  std::uint64_t job = 0;
  StoreService service;
  std::unordered_map<ClientId, TcpStoreSession*> clients;  ///< that have said a good hello
  std::size_t strangers = 0;                               ///< that have not (yet)
  std::function<void()> gathering_changed;
};

class TcpStoreSession : public std::enable_shared_from_this<TcpStoreSession> {
 public:
  /// `room` outlives the session.
  TcpStoreSession(TcpStoreRoom& room, ClientId id, boost::asio::ip::tcp::socket socket);

  /// Serves the connection to its end. The coroutine's caller keeps the session alive.
  boost::asio::awaitable<void> run();

 private:
  boost::asio::awaitable<bool> greet();
  boost::asio::awaitable<bool> serve_request();
  boost::asio::awaitable<std::optional<Reply>> wait_for_reply(std::uint32_t timeout_ms);
  boost::asio::awaitable<bool> write(std::string frame);
  Reply reply_to_hello(std::string_view hello) const;
  void wake_answered();

  TcpStoreRoom& room_;
  const ClientId id_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  std::optional<Reply> delivered_;
  bool greeted_ = false;
  bool gone_ = false;
};

}  // namespace rondo::rendezvous
