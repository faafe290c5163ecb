#pragma once

// One connection on its way to being joined: dialled (and dialled again) or accepted, through its
// handshake. Sessions keep themselves alive while something is under way and report to a board.
// Includes Boost.Asio, which compiles slowly: only joiner.cc and join_session.cc include this.
// Threads: the one that runs the io_context.

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "core/status.h"
#include "transport/wire/handshake.h"

namespace rondo::transport {

/// What sessions report to; outlives them.
class JoinBoard {
 public:
  virtual ~JoinBoard() = default;
  /// Whether a rank that said a proper hello may have the connection it asks for.
  virtual Status may_join(const Hello& hello) = 0;
  /// A connection is through its handshake. `hello` is what the other side said of itself.
  virtual void joined(const Hello& hello, boost::asio::ip::tcp::socket socket) = 0;
  /// An accepted connection came to nothing.
  virtual void dropped(const Status& why) = 0;
  /// Dialling `rank` failed; it is tried again unless the rank refused.
  virtual void dial_failed(int rank, const Status& why, bool refused) = 0;
  /// This process has no descriptor left for a connection; what wants one tries again.
  virtual void no_descriptor(const Status& why) = 0;
};

/// The common part: reads what the handshake asks for.
class JoinSession : public std::enable_shared_from_this<JoinSession> {
 public:
  virtual ~JoinSession() = default;

 protected:
  JoinSession(boost::asio::ip::tcp::socket socket, JoinBoard& board)
      : socket_(std::move(socket)), timer_(socket_.get_executor()), board_(board) {}

  virtual void on_event(const HandshakeEvent& event) = 0;
  void read(std::size_t bytes);
  void write(std::vector<std::byte> bytes, std::function<void(Status)> then);

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  JoinBoard& board_;

 private:
  std::array<std::byte, kAnswerBytes> input_{};
  std::vector<std::byte> output_;
};

class AcceptSession final : public JoinSession {
 public:
  AcceptSession(boost::asio::ip::tcp::socket socket, JoinBoard& board, const Hello& own)
      : JoinSession(std::move(socket), board), handshake_(own) {}
  void start(std::chrono::milliseconds patience);
  /// Gives the place up to a newer connection.
  void evict();

 private:
  void on_event(const HandshakeEvent& event) override;
  void answer(HandshakeAction action);
  void drop(const Status& why);

  AcceptHandshake handshake_;
  bool over_ = false;
};

class DialSession final : public JoinSession {
 public:
  DialSession(boost::asio::io_context& io, JoinBoard& board, const Hello& own,
              boost::asio::ip::tcp::endpoint target, std::chrono::milliseconds attempt)
      : JoinSession(boost::asio::ip::tcp::socket(io), board),
        own_(own),
        target_(std::move(target)),
        attempt_(attempt),
        handshake_(own) {}
  void start();

 private:
  void greet();
  void on_event(const HandshakeEvent& event) override;
  void try_again(const Status& why);

  Hello own_;
  boost::asio::ip::tcp::endpoint target_;
  std::chrono::milliseconds attempt_;
  std::chrono::milliseconds pause_{5};
  DialHandshake handshake_;
  bool connecting_ = false;
};

}  // namespace rondo::transport
