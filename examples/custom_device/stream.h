#pragma once

// Streams, each a thread that does its work in order, and events. Threads: any.

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace custom_cpu {

/// One record of an event: reached once, by a stream that was whole then or had failed.
class Record {
 public:
  void reach(bool whole);
  bool reached() const;
  /// Waits; whether the stream was whole.
  bool wait() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  bool reached_ = false;
  bool whole_ = true;
};

class Event {
 public:
  /// Null: nothing was recorded yet, which counts as reached.
  std::shared_ptr<const Record> latest() const;
  std::shared_ptr<Record> begin_record();

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Record> latest_;
};

class Stream {
 public:
  /// False where it failed.
  using Work = std::function<bool()>;

  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Skipped once the stream has failed.
  void add(Work work);
  void record(Event& event);
  void wait(const Event& event);
  /// Until all is done; whether the stream is whole.
  bool synchronize();

 private:
  using Task = std::function<bool(bool whole)>;
  void enqueue(Task task);
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool busy_ = false;
  bool closed_ = false;
  bool whole_ = true;
  std::thread thread_;
};

}  // namespace custom_cpu
