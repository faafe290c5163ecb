#pragma once

// Events: of this process, which others may be told of, and of another process. Threads: any.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "examples/custom_device/event_board.h"

namespace custom_cpu {

/// Waits until what was recorded last is reached: whether its stream was whole then.
using Waiter = std::function<bool()>;

class Event {
 public:
  virtual ~Event() = default;
  virtual bool reached() const = 0;
  /// For the record as of now. A later one changes nothing for it.
  virtual Waiter waiter() const = 0;
};

/// One record: reached once, by a stream that was whole then or had failed.
class Record {
 public:
  void reach(bool whole);
  bool reached() const;
  bool wait() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  bool reached_ = false;
  bool whole_ = true;
};

class OwnEvent final : public Event {
 public:
  bool reached() const override;
  Waiter waiter() const override;
  /// Takes the place of the last record; to be called when the stream gets there.
  std::function<void(bool whole)> begin_record();
  /// Others see what is recorded from now on; nothing where there is no room.
  std::optional<EventName> share();

 private:
  std::shared_ptr<const Record> latest() const;

  mutable std::mutex mutex_;
  std::shared_ptr<Record> latest_;  ///< null: nothing was recorded, which counts as reached
  std::shared_ptr<Lease> lease_;    ///< null: it isn't shared
};

/// To be waited for, not to be recorded.
class PeerEvent final : public Event {
 public:
  PeerEvent(std::shared_ptr<PeerBoard> board, std::uint32_t slot)
      : board_(std::move(board)), slot_(slot) {}

  bool reached() const override;
  /// Not whole, either, where its process has ended before.
  Waiter waiter() const override;

 private:
  std::shared_ptr<PeerBoard> board_;
  std::uint32_t slot_;
};

}  // namespace custom_cpu
