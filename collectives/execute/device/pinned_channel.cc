#include "collectives/execute/device/pinned_channel.h"

#include <algorithm>
#include <utility>

namespace rondo::execute {
namespace {

using transport::Transfer;
using transport::TransferKind;

/// One is filled, one on its way, one being read, and one more.
constexpr std::size_t kSlots = 4;

std::size_t slots_for(const std::vector<std::size_t>& sizes, const transport::Endpoint& endpoint) {
  return std::clamp<std::size_t>(sizes.size(), 1, std::min(kSlots, endpoint.window()));
}

std::size_t largest(const std::vector<std::size_t>& sizes) {
  constexpr std::size_t kLine = 64;
  const std::size_t bytes = sizes.empty() ? 0 : *std::ranges::max_element(sizes);
  return std::max<std::size_t>(kLine, (bytes + kLine - 1) / kLine * kLine);
}

Result<std::vector<DeviceEvent>> events_for(DevicePlace& place, const PinnedSlots& slots) {
  std::vector<DeviceEvent> events;
  for (std::size_t i = 0; i < slots.count(); ++i) {
    RONDO_ASSIGN(DeviceEvent event, DeviceEvent::make(place, false));
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace

Result<PinnedSlots> PinnedSlots::make(DevicePlace& place, const DevicePlace::PinnedUse& use,
                                      std::size_t count, std::size_t bytes) {
  PinnedSlots made;
  made.count_ = count;
  made.bytes_ = bytes;
  RONDO_ASSIGN(made.memory_, place.pinned(use, count * bytes));
  return made;
}

Result<PinnedSender> PinnedSender::make(const PinnedLink& link, std::vector<std::size_t> sizes,
                                        detail::StreamImpl& stream) {
  PinnedSender made(link, stream);
  RONDO_ASSIGN(made.slots_, PinnedSlots::make(link.place, {link.endpoint.peer(), link.lane, true},
                                              slots_for(sizes, link.endpoint), largest(sizes)));
  RONDO_ASSIGN(made.copied_, events_for(link.place, made.slots_));
  made.tokens_.resize(made.slots_.count());
  made.messages_.reserve(sizes.size());
  made.sizes_ = std::move(sizes);
  return made;
}

void PinnedSender::reset() {
  messages_.clear();
  filled_ = posted_ = done_ = 0;
}

Result<bool> PinnedSender::pump() {
  RONDO_ASSIGN(bool moved, see_sent());
  RONDO_ASSIGN(const bool sent, send_copied());
  RONDO_ASSIGN(const bool copied, copy_next());
  return moved || sent || copied;
}

void PinnedSender::arm(const std::shared_ptr<Bell>& bell) {
  if (posted_ < filled_) copied_[posted_ % slots_.count()].ring_when_reached(bell);
}

Result<bool> PinnedSender::see_sent() {
  const std::size_t before = done_;
  while (done_ < posted_) {
    RONDO_ASSIGN(const bool done, endpoint_->poll(tokens_[done_ % slots_.count()]));
    if (!done) break;
    ++done_;
  }
  return done_ != before;
}

Result<bool> PinnedSender::send_copied() {
  const std::size_t before = posted_;
  while (posted_ < filled_) {
    const detail::EventImpl& event = copied_[posted_ % slots_.count()].event();
    if (left_out_ != DeviceWait::kCopied) {
      if (!event.done()) break;
      RONDO_TRY(event.wait());  // how the stream fared
    }
    const Transfer transfer{.kind = TransferKind::kSend,
                            .lane = lane_,
                            .data = slots_.slot(posted_),
                            .bytes = sizes_[posted_]};
    RONDO_ASSIGN(tokens_[posted_ % slots_.count()], endpoint_->post({&transfer, 1}));
    ++posted_;
  }
  return posted_ != before;
}

Result<bool> PinnedSender::copy_next() {
  const std::size_t before = filled_;
  while (filled_ < messages_.size() && filled_ - done_ < slots_.count()) {
    const Message& message = messages_[filled_];
    if (left_out_ != DeviceWait::kPayload) RONDO_TRY(stream_->wait(message.event->event()));
    const std::size_t bytes = sizes_[filled_];
    if (bytes != 0) RONDO_TRY(stream_->copy(slots_.slot(filled_), message.payload, bytes));
    RONDO_TRY(copied_[filled_ % slots_.count()].record_in(*stream_));
    ++filled_;
  }
  return filled_ != before;
}

Result<PinnedReceiver> PinnedReceiver::make(const PinnedLink& link,
                                            std::vector<std::size_t> sizes) {
  PinnedReceiver made(link);
  RONDO_ASSIGN(made.slots_, PinnedSlots::make(link.place, {link.endpoint.peer(), link.lane, false},
                                              slots_for(sizes, link.endpoint), largest(sizes)));
  RONDO_ASSIGN(made.read_, events_for(link.place, made.slots_));
  made.tokens_.resize(made.slots_.count());
  made.sizes_ = std::move(sizes);
  return made;
}

/// The first round has nothing to wait for: the call before ended after all its work.
Result<bool> PinnedReceiver::is_free(std::size_t number) const {
  if (number < slots_.count()) return true;
  if (!was_taken(number)) return false;
  if (left_out_ == DeviceWait::kRead) return true;
  // Not `done`: a kernel may still read it where that can't be asked.
  return read_[number % slots_.count()].event().reached();
}

void PinnedReceiver::arm(const std::shared_ptr<Bell>& bell) {
  const bool waits = posted_ < sizes_.size() && posted_ >= slots_.count() && was_taken(posted_);
  if (waits) read_[posted_ % slots_.count()].ring_when_reached(bell);
}

Result<bool> PinnedReceiver::pump() {
  bool moved = false;
  while (posted_ < sizes_.size()) {
    RONDO_ASSIGN(const bool is_next_free, is_free(posted_));
    if (!is_next_free) break;
    const Transfer transfer{.kind = TransferKind::kRecv,
                            .lane = lane_,
                            .data = slots_.slot(posted_),
                            .bytes = sizes_[posted_]};
    RONDO_ASSIGN(tokens_[posted_ % slots_.count()], endpoint_->post({&transfer, 1}));
    ++posted_;
    moved = true;
  }
  while (done_ < posted_) {
    RONDO_ASSIGN(const bool done, endpoint_->poll(tokens_[done_ % slots_.count()]));
    if (!done) break;
    ++done_;
    moved = true;
  }
  return moved;
}

Status PinnedReceiver::take(detail::StreamImpl& stream) {
  RONDO_TRY(read_[taken_ % slots_.count()].record_in(stream));
  ++taken_;
  return {};
}

}  // namespace rondo::execute
