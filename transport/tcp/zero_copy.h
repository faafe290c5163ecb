#pragma once

// Sends of one connection that the kernel makes from the sender's own memory (MSG_ZEROCOPY,
// https://docs.kernel.org/networking/msg_zerocopy.html), and what it says about having read it.
// Threads: one at a time. Allocates nothing.

#include <bitset>
#include <cstddef>
#include <cstdint>

#include "transport/tcp/socket_io.h"

namespace rondo::transport {

class ZeroCopy {
 public:
  /// For pieces of at least `from_bytes`; 0: for none.
  explicit ZeroCopy(std::size_t from_bytes) : from_bytes_(from_bytes) {}

  bool is_for(std::size_t bytes) const { return from_bytes_ > 0 && bytes >= from_bytes_; }
  /// Sends without copying, at most kMostLentBytes; or by copying where the kernel can't do
  /// otherwise. The memory must stay as it is until has_read(sends()), asked now, is true.
  IoResult send(int socket, const iovec& piece);
  /// A send is charged whole to what a user may pin (ulimit -l), whatever of it fits the socket.
  static constexpr std::size_t kMostLentBytes = std::size_t{1} << 20;
  /// Takes in what the kernel has to say. Where it had to copy after all, or never has room,
  /// nothing is lent any more.
  void collect(int socket);

  /// Sends without copying so far.
  std::uint64_t sends() const { return sends_; }
  bool has_read(std::uint64_t first_sends) const { return read_ >= first_sends; }
  bool all_read() const { return read_ == sends_; }
  /// What a notice says: the kernel has read these sends. Its numbers are modulo 2^32, and may come
  /// out of order; those that were never sent are ignored.
  void note_read(std::uint32_t first, std::uint32_t last);

 private:
  // Far more than a window of messages takes.
  static constexpr std::size_t kMostUnread = 1024;
  // All of a user's processes share what he may pin: that there is no room now says little.
  static constexpr int kMostRefusals = 16;

  bool may_send(int socket);
  bool read_notice(int socket);
  void give_up(const char* why);

  std::size_t from_bytes_;
  bool asked_ = false;
  int refusals_ = 0;  ///< one after the other
  std::uint64_t sends_ = 0;
  std::uint64_t read_ = 0;               ///< all before this one
  std::bitset<kMostUnread> read_early_;  // by number modulo the size: those after read_
};

}  // namespace rondo::transport
