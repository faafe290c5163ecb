#pragma once

// An event in host memory, for devices whose streams are the calling thread or threads of ours.
// Threads: any.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/device/stream.h"
#include "core/status.h"

namespace rondo::device {

/// What becomes of waits in a stream that was abandoned.
Status given_up();

/// One record of an event: reached once, with what the stream's work reported up to there.
class Completion {
 public:
  void finish(const Status& outcome);
  bool done() const;
  /// Errors: Cancelled.
  Status wait(const detail::Abandoned& abandoned) const;
  /// Calls back from `finish`, or at once where that has been.
  void when_done(std::function<void(const Status&)> callback);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable reached_;
  bool done_ = false;
  Status outcome_;
  std::vector<std::function<void(const Status&)>> callbacks_;
};

class SoftEvent final : public detail::EventImpl {
 public:
  bool done() const override;
  detail::EventWaiter waiter() const override;
  Status ring_when_reached(const std::shared_ptr<Bell>& bell) const override;
  /// Calls back once the latest record, as of now, is reached, with how the recording stream fared:
  /// from the thread that finishes it, or at once. The callback doesn't throw, nor wait.
  void when_reached(std::function<void(const Status&)> callback) const;
  /// Replaces the latest record by a new one, which the stream finishes when it gets there.
  std::shared_ptr<Completion> begin_record();

 private:
  std::shared_ptr<Completion> latest() const;

  mutable std::mutex mutex_;
  std::shared_ptr<Completion> latest_;  ///< null: never recorded, which counts as done
};

}  // namespace rondo::device
