#include "transport/tcp/zero_copy.h"

#include <linux/errqueue.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/log.h"

namespace rondo::transport {

IoResult ZeroCopy::send(int socket, const iovec& piece) {
  const iovec part{piece.iov_base, std::min(piece.iov_len, kMostLentBytes)};
  const std::span<const iovec> parts(&part, 1);
  if (!may_send(socket)) return write_some(socket, parts);
  const IoResult result = write_some(socket, parts, MSG_ZEROCOPY);
  // No room, or memory that can't be pinned: a copy may do.
  if (result.ended && (result.error == ENOBUFS || result.error == EFAULT)) {
    if (++refusals_ == kMostRefusals)
      give_up("the kernel may not pin so much memory (ulimit -l, net.core.optmem_max)");
    return write_some(socket, parts);
  }
  if (result.bytes == 0) return result;
  ++sends_;
  refusals_ = 0;
  return result;
}

bool ZeroCopy::may_send(int socket) {
  if (!asked_) {
    asked_ = true;
    const int on = 1;
    if (::setsockopt(socket, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on) != 0)
      give_up("the kernel has no MSG_ZEROCOPY for this connection");
  }
  return from_bytes_ > 0 && sends_ - read_ < kMostUnread;
}

void ZeroCopy::collect(int socket) {
  while (!all_read() && read_notice(socket)) {
  }
}

bool ZeroCopy::read_notice(int socket) {
  alignas(cmsghdr) std::array<char, 256> control{};
  msghdr message{};
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (::recvmsg(socket, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return false;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    const bool is_error = (part->cmsg_level == SOL_IP && part->cmsg_type == IP_RECVERR) ||
                          (part->cmsg_level == SOL_IPV6 && part->cmsg_type == IPV6_RECVERR);
    if (!is_error || part->cmsg_len < CMSG_LEN(sizeof(sock_extended_err))) continue;
    sock_extended_err notice{};
    std::memcpy(&notice, CMSG_DATA(part), sizeof notice);
    if (notice.ee_origin != SO_EE_ORIGIN_ZEROCOPY) continue;
    note_read(notice.ee_info, notice.ee_data);
    if ((notice.ee_code & SO_EE_CODE_ZEROCOPY_COPIED) != 0)
      give_up("the kernel copied, as it does on loopback and where a network card can't gather");
  }
  return true;
}

void ZeroCopy::note_read(std::uint32_t first, std::uint32_t last) {
  const auto next = static_cast<std::uint32_t>(read_);
  for (std::uint32_t number = first; number != last + 1; ++number) {
    const std::uint32_t ahead = number - next;
    if (ahead >= sends_ - read_) return;
    read_early_.set((read_ + ahead) % kMostUnread);
  }
  while (read_early_.test(read_ % kMostUnread)) read_early_.reset(read_++ % kMostUnread);
}

void ZeroCopy::give_up(const char* why) {
  if (from_bytes_ == 0) return;
  from_bytes_ = 0;
  log(LogLevel::kInfo, [why] { return std::string("tcp sends by copying from now on: ") + why; });
}

}  // namespace rondo::transport
