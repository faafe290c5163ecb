#pragma once

// What stands behind the public Stream and Event: one implementation per device kind.
// Work given to a stream runs in order. The first error of a stream's work stays: later work is
// skipped, and `synchronize`, events recorded after it and streams that wait for those report it.

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "core/status.h"
#include "rondo/device.h"

namespace rondo {

class Bell;

inline namespace v1 {
namespace detail {

/// Set by who gives a stream up: what waits in it looks here now and then.
using Abandoned = std::atomic<bool>;
/// Errors: Cancelled, where that was set before the end.
using EventWaiter = std::function<Status(const Abandoned&)>;

/// Threads: any.
class EventImpl {
 public:
  virtual ~EventImpl() = default;
  /// Also where that can't be asked: whoever waits for it is told why.
  virtual bool done() const = 0;
  /// For who acts on the answer without waiting. Errors: Device, System (it can't be asked).
  virtual Result<bool> reached() const { return done(); }
  /// A function that blocks until the latest record, as of now, is reached, and tells how the
  /// recording stream fared. A record made later changes nothing for it.
  virtual EventWaiter waiter() const = 0;
  /// Waits for that, however long it takes.
  Status wait() const {
    static const Abandoned kNever{false};
    return waiter()(kNever);
  }
  /// Rings once the latest record, as of now, is reached, maybe at once; maybe never where the
  /// recording stream fails. Errors: Unsupported (the kind can't), Device: nobody rings then.
  virtual Status ring_when_reached(const std::shared_ptr<Bell>& /*bell*/) const {
    return Status(ErrorCode::kUnsupported, "events of this kind of device ring nobody's bell");
  }
  /// What a driver has made: another event where this one only adds something to it.
  virtual const EventImpl& native() const { return *this; }
};

/// Threads: any, one at a time.
class StreamImpl {
 public:
  virtual ~StreamImpl() = default;
  virtual Device device() const = 0;
  virtual Status copy(void* target, const void* source, std::size_t bytes) = 0;
  /// Runs a kernel (on the stream's thread, where it has one).
  virtual Status launch(std::function<Status()> kernel) = 0;
  /// `event` was made by the same driver, for the same device.
  virtual Status record(EventImpl& event) = 0;
  /// `event` may be any device's.
  virtual Status wait(const EventImpl& event) = 0;
  virtual Status synchronize() = 0;
  /// Whether all that it was given is done; true also where that can't be asked without waiting.
  virtual bool idle() const { return true; }
  /// Gives up what isn't done, where the stream's kind can: waits end, the rest is skipped, and it
  /// all fails with `cause`. The stream is of no use afterwards. Threads: any.
  virtual void abandon(const Status& /*cause*/) {}
  /// What is known, without asking the device, to have failed it.
  virtual Status failure() const { return {}; }
  /// Whether what it is given is put into a graph, to be done later and more than once, and not
  /// done now.
  virtual bool is_capturing() const { return false; }
  /// While somebody has what it returns, the stream may wait for another rank: what anybody frees
  /// meanwhile is put off, where the driver would wait for the stream. Else null. Threads: any.
  virtual std::shared_ptr<void> put_off_frees() { return nullptr; }
  /// Whether it waits, itself or behind another stream, for what the host reaches (SoftEvent): that
  /// may fail it, which `failure` tells from then on.
  virtual bool awaits_host() const { return false; }
  /// Whether `wait` returns at once also where its event is one that the host reaches (SoftEvent).
  virtual bool can_wait_for_host() const { return false; }
};

/// The way from the public handles to their implementations.
struct DeviceAccess {
  static StreamImpl& stream(Stream& handle);
};

}  // namespace detail
}  // namespace v1
}  // namespace rondo
