#pragma once

// What one place shows to the other places of its process: its head and channels, a mailbox for
// aborts, and a bell. Its transport owns it together with every peer that is connected to it, so it
// stays readable after its transport is gone.
// Threads: any; `channels` and `peers` under the registry's lock.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/status.h"
#include "transport/endpoint/transport.h"
#include "transport/ring/channel.h"
#include "transport/wire/control.h"

namespace rondo::transport {

class InprocPlace {
 public:
  /// Errors: System.
  static Result<std::shared_ptr<InprocPlace>> create(const Identity& identity);
  explicit InprocPlace(const Identity& identity, int bell);
  ~InprocPlace();
  InprocPlace(const InprocPlace&) = delete;
  InprocPlace& operator=(const InprocPlace&) = delete;

  const Identity& identity() const { return identity_; }
  PlaceHead& head() { return head_; }
  BulletinBoard& bulletins() { return bulletins_; }

  /// The lines from this place to `peer`; null until this place has asked for the connection.
  Channel* channel(int peer) const { return channels_[static_cast<std::size_t>(peer)].get(); }
  void add_channel(int peer);
  /// Where it copies what it sends to `peer` on kBufferedLane.
  Slots buffer(int peer) const;
  std::shared_ptr<InprocPlace>& joined(int peer) { return joined_[static_cast<std::size_t>(peer)]; }

  /// A descriptor that is readable after ring() until silence().
  int bell() const { return bell_; }
  void ring();
  void silence();

  struct Mail {
    int from = 0;
    AbortNotice notice;
  };
  void post_mail(Mail mail);
  bool has_mail() const { return has_mail_.load(std::memory_order_acquire); }
  /// The first notice of `peer`, if it has sent one.
  std::optional<AbortNotice> take_mail_from(int peer);

  /// Whether this place may touch memory of `peer`, plain memory that ends when its owner says so:
  /// true from the begin of a call to its end. Set before the peer's `gave_up` is looked at, and
  /// looked at by a peer that has set it: one of the two sees the other.
  std::atomic<bool>& touches(int peer) { return touches_[static_cast<std::size_t>(peer)]; }

  /// The transport is gone, in order.
  void leave() { left_.store(true, std::memory_order_release); }
  bool has_left() const { return left_.load(std::memory_order_acquire); }

 private:
  Identity identity_;
  int bell_;
  PlaceHead head_{};
  BulletinBoard bulletins_{};
  std::vector<std::unique_ptr<Channel>> channels_;     ///< by peer
  std::vector<std::unique_ptr<std::byte[]>> buffers_;  ///< by peer
  std::vector<std::shared_ptr<InprocPlace>> joined_;   ///< by peer, while connecting
  std::vector<std::atomic<bool>> touches_;             ///< by peer
  std::atomic<bool> left_ = false;
  std::atomic<bool> has_mail_ = false;
  std::mutex mail_mutex_;
  std::vector<Mail> mail_;
};

}  // namespace rondo::transport
