#pragma once

// An event in host memory, for devices whose streams are the calling thread or threads of ours.
// Threads: any.

#include <condition_variable>
#include <memory>
#include <mutex>

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

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable reached_;
  bool done_ = false;
  Status outcome_;
};

class SoftEvent final : public detail::EventImpl {
 public:
  bool done() const override;
  detail::EventWaiter waiter() const override;
  /// Replaces the latest record by a new one, which the stream finishes when it gets there.
  std::shared_ptr<Completion> begin_record();

 private:
  std::shared_ptr<const Completion> latest() const;

  mutable std::mutex mutex_;
  std::shared_ptr<Completion> latest_;  ///< null: never recorded, which counts as done
};

}  // namespace rondo::device
