#pragma once

// What is given back to the driver while something on the device waits for this process. The
// driver frees memory when all that the device has been given is done, and keeps other threads'
// calls waiting meanwhile: for ever, where a stream stands still at a gate, or a kernel waits for
// another rank's, and it is such a call that would let it go on. So that is put off until nothing
// waits, on any device: ranks of one process wait for each other across them. Likewise where a
// stream was given up that waits for a process which stands still, or for one that has died.
// Seen so on an H200 (cuMemFree, cuMemFreeHost).
// Threads: any.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace rondo::device {

class CudaFrees {
 public:
  CudaFrees() = default;
  CudaFrees(const CudaFrees&) = delete;
  CudaFrees& operator=(const CudaFrees&) = delete;
  /// Whoever had a hold is gone. What was put off is given back, unless something still waits: then
  /// it goes with the process.
  ~CudaFrees();

  /// While somebody has one, something on the device waits.
  using Hold = std::shared_ptr<void>;
  /// Blocks while others are giving something back, and for 2 ms now and then while something waits
  /// to be given back, so that those who have holds get through.
  Hold hold();
  /// Something waits until `is_over`, which is asked now and then, and takes no hold.
  void hold_until(std::function<bool()> is_over);
  /// Waits so long at most until nothing is put off any more; true if anything was.
  bool wait_for_put_off(std::chrono::milliseconds most);
  /// Now, where nothing waits; or by a thread of ours, once nothing does. Actions may be the
  /// program's, with locks of its own: none is held for them, the calling thread does this one
  /// alone, never one that was put off, and what an action gives back in turn is done at once.
  void give_back(std::function<void()> action);

 private:
  void release();
  void wake_thread();
  void give_back_later();
  bool something_waits();
  bool is_giver() const;
  /// Whom the caller has to wait for: who gives something back itself waits for no other.
  bool others_give() const { return !givers_.empty() && !is_giver(); }
  void give(std::unique_lock<std::mutex>& lock, std::vector<std::function<void()>> actions);
  void give_put_off(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread::id> givers_;  ///< who are giving something back, without the mutex
  int holds_ = 0;                        ///< also of those who wait for these
  std::vector<std::function<bool()>> awaited_;
  bool is_closing_ = false;
  bool is_running_ = false;  ///< a thread, while something is put off, or awaited
  std::vector<std::function<void()>> put_off_;
  std::chrono::steady_clock::time_point put_off_since_;
};

}  // namespace rondo::device
