#pragma once

// Where the ranks of a communicator meet, call by call: each lays down what it brings, and once all
// have, each does its share. Threads: the ranks' streams.

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace custom_cpu {

/// What a rank brings to a call.
struct Share {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
};

class Meeting {
 public:
  explicit Meeting(int world) : shares_(static_cast<std::size_t>(world)) {}
  /// The one of that number, made by whoever comes first.
  static std::shared_ptr<Meeting> of(unsigned number, int world);

  void lay_down(int rank, Share share);
  const std::vector<Share>& shares() const { return shares_; }
  /// Until all have come; false where somebody has given up.
  bool wait_for_all();
  void give_up();

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Share> shares_;
  std::size_t waiting_ = 0;
  unsigned turns_ = 0;
  bool given_up_ = false;
};

}  // namespace custom_cpu
