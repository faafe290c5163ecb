#pragma once

// Messages that come before anybody receives them: who sends too many of them, and who moves them
// on without receiving any.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <vector>

#include "rondo/communicator.h"

namespace rondo::testing {

inline constexpr int kTag = 5;
inline constexpr int kLastTag = 6;

/// Different for each message and element.
inline std::vector<double> content(std::size_t number, std::size_t count) {
  std::vector<double> data(count);
  for (std::size_t i = 0; i < count; ++i)
    data[i] = static_cast<double>(number) + static_cast<double>(i % 1000) / 1024;
  return data;
}

/// More messages than are kept, all with one tag, on their way to one rank.
class Flood {
 public:
  Flood(Communicator& rank, int to, std::size_t messages, std::size_t count) {
    for (std::size_t i = 0; i < messages; ++i) data_.push_back(content(i, count));
    for (const auto& data : data_)
      works_.push_back(rank.start(Call::send({data.data(), count}, to, kTag)));
  }
  /// The first `kept` are sent without anybody's asking for them, and the last isn't.
  void expect_held_back(std::size_t kept) {
    for (std::size_t i = 0; i < kept; ++i) works_[i].wait();
    EXPECT_FALSE(works_.back().wait_for(std::chrono::milliseconds(100)));
  }
  void wait() { wait_all(works_); }

 private:
  std::vector<std::vector<double>> data_;
  std::vector<Work> works_;
};

inline void expect_all(Communicator& rank, int from, std::size_t messages, std::size_t count) {
  for (std::size_t i = 0; i < messages; ++i) {
    std::vector<double> received(count, -1);
    rank.receive({received.data(), count}, from, kTag);
    ASSERT_TRUE(received == content(i, count)) << "message " << i;
  }
}

/// Moves on what comes from `peer`, without receiving any of it, until `flag` is set.
class Onlooker {
 public:
  Onlooker(Communicator& rank, int peer)
      : last_(rank.start(Call::receive({&value_, 1}, peer, kLastTag))) {}
  void look_on(const std::atomic<bool>& flag) {
    while (!flag) static_cast<void>(last_.wait_for(std::chrono::milliseconds(1)));
  }
  double last() {
    last_.wait();
    return value_;
  }

 private:
  double value_ = 0;
  Work last_;
};

inline void send_last(Communicator& rank, int to) {
  const double value = 0.75;
  rank.send({&value, 1}, to, kLastTag);
}

}  // namespace rondo::testing
