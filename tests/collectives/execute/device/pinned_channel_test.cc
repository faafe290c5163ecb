// Segments between hosts by page-locked slots: while one is filled, another is on its way and a
// third is read. Times are acted, of the device's copies as of the link, and compared with each
// other in one run.

#include "collectives/execute/device/pinned_channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "core/device/emulated/emulated.h"
#include "tests/collectives/execute/acted_endpoint.h"

namespace rondo::execute {
namespace {

using Clock = std::chrono::steady_clock;
using transport::Endpoint;
using transport::Token;
using transport::Transfer;

constexpr std::size_t kBytes = 40'000;
constexpr std::size_t kMessages = 12;
constexpr std::chrono::milliseconds kStage{4};  ///< of a copy of the device's, and of the link

/// A link of two hosts, in one direction: a message at a time, each taking its time from when it is
/// sent and there is a place for it.
struct Link {
  struct Message {
    Transfer sent;
    std::optional<Transfer> wanted{};
    std::optional<Clock::time_point> arrives{};
    bool has_come = false;
  };

  void move() {
    for (Message& message : messages) {
      if (message.has_come) continue;
      if (!message.wanted) return;
      if (!message.arrives) message.arrives = Clock::now() + kStage;
      if (Clock::now() < *message.arrives) return;
      std::memcpy(message.wanted->data, message.sent.data, message.sent.bytes);
      message.has_come = true;
    }
  }

  std::deque<Message> messages;
};

/// One end of it, with room for so many messages.
class End final : public ActedEndpoint {
 public:
  End(Link& link, bool sends, std::size_t window) : link_(link), sends_(sends), window_(window) {}

  transport::TransportKind kind() const override { return transport::TransportKind::kTcp; }
  int peer() const override { return sends_ ? 1 : 0; }
  std::size_t window() const override { return window_; }
  Result<Token> post(std::span<const Transfer> group) override {
    if (sends_) {
      link_.messages.push_back({.sent = group.front()});
    } else {
      wanted_.push_back(group.front());
    }
    return next_++;
  }
  Result<bool> poll(Token token) override {
    for (std::size_t i = 0; i < std::min(wanted_.size(), link_.messages.size()); ++i)
      if (!link_.messages[i].wanted) link_.messages[i].wanted = wanted_[i];
    link_.move();
    return token < link_.messages.size() && link_.messages[token].has_come;
  }

 private:
  Link& link_;
  bool sends_;
  std::size_t window_;
  Token next_ = 0;
  std::vector<Transfer> wanted_;
};

std::unique_ptr<device::DeviceDriver> paced_driver() {
  return device::make_emulated_driver(
      {.memory_bytes = std::size_t{4} << 20,
       .lateness = {.longest_us = 0},
       .pace = {.copy_bytes_per_us = static_cast<double>(kBytes) /
                                     std::chrono::duration<double, std::micro>(kStage).count()}});
}

/// What is sent from one device to another of another host.
class Channel {
 public:
  explicit Channel(std::size_t slots)
      : from_(link_, true, slots),
        to_(link_, false, slots),
        sizes_(kMessages, kBytes),
        sender_(
            PinnedSender::make({source_, from_, 0}, sizes_, *source_.stream(1).value()).value()),
        receiver_(PinnedReceiver::make({target_, to_, 0}, sizes_).value()),
        ready_(DeviceEvent::make(source_, false).value()),
        read_(DeviceEvent::make(target_, false).value()) {
    for (std::size_t i = 0; i < kMessages * kBytes; ++i)
      seen(given_.get())[i] = static_cast<std::byte>(i * 7 + i / kBytes);
  }

  /// `at_once`: or each message when the one before has been read.
  Clock::duration run(bool at_once) {
    detail::StreamImpl& stream = *target_.stream(0).value();
    EXPECT_TRUE(ready_.record_in(*source_.stream(0).value()).ok());
    const auto begin = Clock::now();
    std::size_t added = 0;
    std::size_t taken = 0;
    while (taken < kMessages || !read_.event().done()) {
      const bool is_last_read = taken == added && (taken == 0 || read_.event().done());
      if (added < kMessages && (at_once || is_last_read))
        sender_.add(ready_, given_.get() + kBytes * added++);
      EXPECT_TRUE(sender_.pump().ok() && receiver_.pump().ok());
      if (receiver_.has_next()) {
        EXPECT_TRUE(stream.copy(got_.get() + kBytes * taken++, receiver_.next(), kBytes).ok());
        EXPECT_TRUE(receiver_.take(stream).ok());
        EXPECT_TRUE(read_.record_in(stream).ok());
      }
      std::this_thread::yield();
    }
    EXPECT_EQ(std::memcmp(seen(given_.get()), seen(got_.get()), kMessages * kBytes), 0);
    return Clock::now() - begin;
  }

 private:
  static std::byte* seen(std::byte* memory) {
    return static_cast<std::byte*>(device::emulated_alias(memory));
  }
  std::shared_ptr<std::byte> allocate(int device) {
    void* const memory = driver_->allocate(device, kMessages * kBytes).value();
    return {static_cast<std::byte*>(memory), [this](std::byte* own) { driver_->free(own); }};
  }

  std::unique_ptr<device::DeviceDriver> driver_ = paced_driver();
  std::shared_ptr<std::byte> given_ = allocate(0);
  std::shared_ptr<std::byte> got_ = allocate(1);
  DevicePlace source_{Device::emulated(0), *driver_};
  DevicePlace target_{Device::emulated(1), *driver_};
  Link link_;
  End from_;
  End to_;
  std::vector<std::size_t> sizes_;
  PinnedSender sender_;
  PinnedReceiver receiver_;
  DeviceEvent ready_;
  DeviceEvent read_;
};

/// The time of all at once beside that of one after the other: of three stages of one length, a
/// third and a bit where they overlap; two thirds where each message has to be through two of them
/// before the next begins.
double share_of_serial(std::size_t slots) {
  // The least of three: machines stand still for a tenth of a second now and then.
  const auto time = [&](bool at_once) {
    auto least = Channel(slots).run(at_once);
    for (int again = 0; again < 2; ++again) least = std::min(least, Channel(slots).run(at_once));
    return std::chrono::duration<double>(least);
  };
  const auto serial = time(false);
  return time(true) / serial;
}

constexpr double kClearlyLess = 0.55;

TEST(PinnedChannel, SegmentsOverlap_OnTheDevicesAndBetweenThem) {
  EXPECT_LT(share_of_serial(8), kClearlyLess);
}

TEST(PinnedChannel, WithOneSlot_TheyDoNot) { EXPECT_GT(share_of_serial(1), kClearlyLess); }

}  // namespace
}  // namespace rondo::execute
