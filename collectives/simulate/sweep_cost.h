#pragma once

// What one piece of a sweep costs the core of the rank that makes it.

#include <cstddef>
#include <cstdint>

namespace rondo::simulate {

struct Link;
struct Work;

/// How a message goes.
struct Passage {
  /// Into the receiver's memory: it lies already where the sweep would put it.
  bool stored = false;
  bool follows = false;  ///< another, over a network by the same call of the system
};

/// Of a row, moved in messages of `message_bytes`, of which the last may be shorter.
struct Piece {
  std::size_t bytes = 0;
  std::size_t message_bytes = 0;

  /// By its latency the last one arrives.
  std::size_t longest_message() const { return bytes < message_bytes ? bytes : message_bytes; }
};

/// The ports of a sweep, counted by what they cost.
class SweepCost {
 public:
  /// `beyond_cache`: the part of what is touched that comes from memory, 0..1.
  SweepCost(const Work& work, const Piece& piece, double beyond_cache)
      : work_(work), piece_(piece), beyond_cache_(beyond_cache) {}

  void read_memory(std::uint32_t sources = 1) {
    reads_ += static_cast<int>(sources);
    sources_ += static_cast<int>(sources);
  }
  void write_memory(std::uint32_t targets = 1) { writes_ += static_cast<int>(targets); }
  void receive(const Link& link, Passage passage);
  void send(const Link& link, Passage passage);

  /// Of a core of its own.
  double us() const;
  /// That pass between core and memory.
  double memory_bytes() const;

 private:
  template <typename CostOfMessage>
  double of_messages(const CostOfMessage& cost_of_message) const;
  int copies() const;

  const Work& work_;
  Piece piece_;
  double beyond_cache_;
  double messages_us_ = 0;
  int sources_ = 0;
  int reads_ = 0;
  int writes_ = 0;
  int stored_ = 0;    ///< received where they belong
  int in_place_ = 0;  ///< received by a copy that can go to where they belong
  int lends_ = 0;     ///< messages that stand for memory of this rank
};

}  // namespace rondo::simulate
