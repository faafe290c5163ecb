// How messages travel between the ranks of the acted NCCL.

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <thread>
#include <utility>

#include "fake_nccl.h"

namespace fake_nccl {
namespace {

/// One message on its way.
struct Moving {
  Message message;
  std::size_t done = 0;
};

/// A chunk of it, if the box lets it; true if it did.
bool send_some(Box& box, Moving& moving) {
  if (box.written.load(std::memory_order_acquire) != box.read.load(std::memory_order_acquire))
    return false;
  const std::size_t bytes = std::min(sizeof(box.data), moving.message.bytes - moving.done);
  std::memcpy(box.data, moving.message.data + moving.done, bytes);
  box.bytes = static_cast<std::uint32_t>(bytes);
  moving.done += bytes;
  box.written.fetch_add(1, std::memory_order_release);
  return true;
}

bool receive_some(Box& box, Moving& moving) {
  if (box.written.load(std::memory_order_acquire) == box.read.load(std::memory_order_acquire))
    return false;
  const std::size_t bytes = std::min<std::size_t>(box.bytes, moving.message.bytes - moving.done);
  std::memcpy(moving.message.data + moving.done, box.data, bytes);
  moving.done += bytes;
  box.read.fetch_add(1, std::memory_order_release);
  return true;
}

}  // namespace

Member::~Member() {
  if (shared != nullptr) ::munmap(shared, sizeof(Shared));
}

void transfer(Member& member, const std::vector<Message>& messages) {
  std::map<std::pair<int, bool>, std::deque<Moving>> queues;
  for (const Message& message : messages) {
    if (message.bytes != 0) queues[{message.peer, message.sends}].push_back({message});
  }
  while (!queues.empty() && !member.aborted.load()) {
    bool moved = false;
    for (auto queue = queues.begin(); queue != queues.end();) {
      const auto [peer, sends] = queue->first;
      Moving& front = queue->second.front();
      moved |= sends ? send_some(member.shared->boxes[member.rank][peer], front)
                     : receive_some(member.shared->boxes[peer][member.rank], front);
      if (front.done == front.message.bytes) queue->second.pop_front();
      queue = queue->second.empty() ? queues.erase(queue) : std::next(queue);
    }
    if (!moved) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

}  // namespace fake_nccl
