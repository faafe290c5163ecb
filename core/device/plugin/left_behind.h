#pragma once

// What the devices of a plug-in may still be at though nobody waits for it any more: streams that
// were given up. Until all of them are at rest nothing that they might use is given back: neither
// memory nor events, nor what was opened of other processes.
// Threads: any.

#include <functional>
#include <mutex>
#include <vector>

namespace rondo::device {

class LeftBehind {
 public:
  using Action = std::function<void()>;

  /// `is_at_rest` is asked whenever something is given back; `destroy` comes after it. Neither
  /// comes back here.
  void add(std::function<bool()> is_at_rest, Action destroy);
  /// Does it: now, or with the first that is given back once all streams are at rest.
  void give_back(Action action);
  /// Does what was put off, if they are.
  void give_back_due();

 private:
  std::mutex mutex_;
  std::vector<std::function<bool()>> at_work_;
  std::vector<Action> later_;
};

}  // namespace rondo::device
