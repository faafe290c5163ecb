#include "transport/inproc/inproc_place.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/process_limits.h"

namespace rondo::transport {
namespace {

constexpr Slots kBuffer{.memory = nullptr, .count = 32, .bytes = std::size_t{8} << 10};

}  // namespace

Result<std::shared_ptr<InprocPlace>> InprocPlace::create(const Identity& identity) {
  const int bell = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (bell < 0) return descriptor_error("creating an eventfd", errno);
  return std::make_shared<InprocPlace>(identity, bell);
}

InprocPlace::InprocPlace(const Identity& identity, int bell)
    : identity_(identity),
      bell_(bell),
      channels_(static_cast<std::size_t>(identity.world)),
      buffers_(static_cast<std::size_t>(identity.world)),
      joined_(static_cast<std::size_t>(identity.world)),
      touches_(static_cast<std::size_t>(identity.world)) {}

InprocPlace::~InprocPlace() { ::close(bell_); }

void InprocPlace::add_channel(int peer) {
  channels_[static_cast<std::size_t>(peer)] = std::make_unique<Channel>();
  // Large enough to take no memory before somebody writes there.
  buffers_[static_cast<std::size_t>(peer)] =
      std::make_unique_for_overwrite<std::byte[]>(kBuffer.count * kBuffer.bytes);
}

Slots InprocPlace::buffer(int peer) const {
  Slots slots = kBuffer;
  slots.memory = buffers_[static_cast<std::size_t>(peer)].get();
  return slots;
}

// Neither can fail but where the bell is already in the state that is asked for.
void InprocPlace::ring() { ::eventfd_write(bell_, 1); }

void InprocPlace::silence() {
  eventfd_t count = 0;
  ::eventfd_read(bell_, &count);
}

void InprocPlace::post_mail(Mail mail) {
  {
    const std::lock_guard lock(mail_mutex_);
    mail_.push_back(std::move(mail));
    has_mail_.store(true, std::memory_order_release);
  }
  ring();
}

std::optional<AbortNotice> InprocPlace::take_mail_from(int peer) {
  const std::lock_guard lock(mail_mutex_);
  const auto mail = std::find_if(mail_.begin(), mail_.end(),
                                 [peer](const Mail& candidate) { return candidate.from == peer; });
  if (mail == mail_.end()) return std::nullopt;
  AbortNotice notice = std::move(mail->notice);
  mail_.erase(mail);
  has_mail_.store(!mail_.empty(), std::memory_order_relaxed);
  return notice;
}

}  // namespace rondo::transport
