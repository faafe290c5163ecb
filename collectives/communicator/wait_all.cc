// Waiting for calls of several communicators with one thread: none of them may be able to end
// before the others have been moved on, so all are, in turn.

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <vector>

#include "collectives/communicator/engine.h"
#include "rondo/work.h"

namespace rondo {
namespace {

using communicator::Engine;

/// Turns without any news before sleeping, the core given away between them.
constexpr int kTurnsBeforeSleep = 200;
/// Timeouts and comparisons of calls are looked at as often; what a progress thread drives tells
/// nobody else.
constexpr int kSleepMs = 1;

bool move_on(const std::vector<Engine*>& engines) {
  bool moved = false;
  for (Engine* engine : engines) moved |= engine->nudge();
  return moved;
}

/// Until one of the engines has something to look at.
void sleep_on(const std::vector<Engine*>& engines) {
  std::vector<pollfd> descriptors;
  std::vector<Engine*> taken;
  bool awake = false;
  for (Engine* engine : engines) {
    if (engine->driver().idle() || !engine->driver().try_take()) continue;
    taken.push_back(engine);
    awake |= engine->waiter().arm();
    descriptors.push_back({.fd = engine->waiter().wake_fd(), .events = POLLIN, .revents = 0});
  }
  if (!awake) poll(descriptors.data(), descriptors.size(), kSleepMs);
  for (Engine* engine : taken) {
    engine->waiter().disarm();
    engine->driver().give_back();
  }
}

}  // namespace

inline namespace v1 {

void wait_all(std::span<Work> works) {
  std::vector<Engine*> engines;
  for (const Work& work : works) {
    Engine* const engine = work.engine_.get();
    if (engine == nullptr || std::ranges::find(engines, engine) != engines.end()) continue;
    engines.push_back(engine);
  }
  const auto done = [&works] {
    return std::ranges::all_of(works, [](Work& work) { return work.test(); });
  };
  for (int idle_turns = 0; !done();) {
    if (move_on(engines)) {
      idle_turns = 0;
    } else if (++idle_turns < kTurnsBeforeSleep) {
      sched_yield();
    } else {
      sleep_on(engines);
    }
  }
  for (Work& work : works) work.wait();
}

}  // namespace v1
}  // namespace rondo
