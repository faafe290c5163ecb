#include "examples/custom_device/messages.h"

#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <utility>

#include "examples/custom_device/patience.h"

namespace custom_cpu {
namespace {

/// One message on its way.
struct Moving {
  MemoryName memory{};
  bool laid_down = false;
  bool over = false;
};

/// Lays it down, and sees later that it was read.
void send(Letter& letter, Moving& moving) {
  if (letter.read != letter.written) return;
  moving.over = moving.laid_down;
  if (moving.laid_down) return;
  letter.memory = moving.memory;
  ++letter.written;
  moving.laid_down = true;
}

/// Copies it, once it is there. False where it isn't what is expected.
bool receive(Letter& letter, Moving& moving) {
  if (letter.read == letter.written) return true;
  const MemoryName theirs = letter.memory;
  if (theirs.bytes != moving.memory.bytes) return false;
  const View from = memory().see(theirs, theirs.bytes);
  const View to = memory().see(moving.memory, theirs.bytes);
  if (from.data() == nullptr || to.data() == nullptr) return false;
  std::memcpy(to.data(), from.data(), theirs.bytes);
  ++letter.read;
  moving.over = true;
  return true;
}

}  // namespace

bool exchange(const Seat& seat, const std::vector<Message>& messages) {
  using Way = std::pair<int, bool>;  // peer, whether to it
  std::map<Way, std::deque<Moving>> under_way;
  for (const Message& message : messages)
    under_way[{message.peer, message.sends}].push_back({message.memory});
  bool whole = true;
  const auto all_over = [&] {
    for (auto way = under_way.begin(); way != under_way.end() && whole;) {
      const auto [peer, sends] = way->first;
      Moving& first = way->second.front();
      if (sends)
        send(seat.meeting->letter(seat.rank, peer), first);
      else
        whole = receive(seat.meeting->letter(peer, seat.rank), first);
      if (first.over) way->second.pop_front();
      way = way->second.empty() ? under_way.erase(way) : std::next(way);
    }
    return under_way.empty() || !whole;
  };
  return wait_until(all_over, [&] { return seat.meeting->given_up(); }) && whole;
}

}  // namespace custom_cpu
