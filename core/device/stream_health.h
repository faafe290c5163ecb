#pragma once

// What has failed a stream of a kind whose driver doesn't keep that itself: a driver that refuses
// something when it is asked to does goes on with the next, and a host's call that a stream waits
// for may fail much later. An event that was recorded behind such a failure tells it, and a stream
// that waits for that event fails (stream.h).
// Threads: any.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/status.h"
#include "rondo/device.h"

namespace rondo::device {

class StreamHealth {
 public:
  explicit StreamHealth(Device device) : device_(device) {}

  /// What the stream is given from now on doesn't count any more. The first failure stays.
  void fail(const Status& cause);
  Status now() const;

  /// Something that the stream waits for may fail it yet, from this place on.
  std::uint64_t expect();
  /// How that ended.
  void settle(std::uint64_t place, const Status& outcome);
  /// Whether anything is expected: directly, or behind an event of another stream.
  bool expects() const;

 private:
  friend class RecordHealth;
  /// Kept until it is told: what a native stream waits for outlives a handle that was borrowed.
  struct Follower {
    std::uint64_t record;  ///< in this stream
    std::shared_ptr<StreamHealth> stream;
    std::uint64_t place;  ///< in that one
  };
  struct Settled {
    std::shared_ptr<StreamHealth> stream;
    std::uint64_t place;
    Status outcome;
  };

  std::uint64_t next_place();
  Status at(std::uint64_t record) const;
  void follow(std::uint64_t record, const std::shared_ptr<StreamHealth>& follower);
  static void tell(const std::vector<Settled>& settled);
  /// With the mutex, as what is below.
  void note(std::uint64_t place, const Status& cause);
  bool is_open(std::uint64_t record) const;
  std::vector<Settled> take_settled();

  const Device device_;
  mutable std::mutex mutex_;
  std::uint64_t places_ = 0;  ///< of records and of what may fail
  Status failure_;
  std::uint64_t failed_from_ = 0;
  std::vector<std::uint64_t> expected_;
  std::vector<Follower> followers_;  ///< of records behind what is expected
};

/// What an event knows of the stream that recorded it last, up to there.
class RecordHealth {
 public:
  void record(const std::shared_ptr<StreamHealth>& stream);
  /// Once the record is reached.
  Status failure() const;
  /// Fails `follower`, which waits for the record, where that fails: now, or when it is known.
  void follow(const std::shared_ptr<StreamHealth>& follower) const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<StreamHealth> stream_;  ///< null: never recorded
  std::uint64_t place_ = 0;
};

}  // namespace rondo::device
