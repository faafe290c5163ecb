// Waiting for calls of several communicators with one thread: none of them may be able to end
// before the others have been moved on, so all are, in turn.

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <span>
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

/// Waiting for so many communicators at a time allocates nothing: the lists are on the stack, since
/// a continuation may itself wait for others.
constexpr std::size_t kUsualEngines = 32;

using Engines = std::span<Engine* const>;

bool move_on(Engines engines) {
  bool moved = false;
  for (Engine* engine : engines) moved |= engine->nudge();
  return moved;
}

/// Until one of the engines has something to look at. `descriptors`: room for one of each engine.
void sleep_on(Engines engines, std::span<pollfd> descriptors) {
  bool awake = false;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    // poll passes over descriptors that are negative.
    descriptors[i] = {.fd = -1, .events = 0, .revents = 0};
    Engine& engine = *engines[i];
    if (engine.driver().idle() || !engine.driver().try_take()) continue;
    awake |= engine.waiter().arm(&engine.driver().sleeper());
    descriptors[i] = {.fd = engine.waiter().wake_fd(), .events = POLLIN, .revents = 0};
  }
  if (!awake) poll(descriptors.data(), descriptors.size(), kSleepMs);
  for (std::size_t i = 0; i < engines.size(); ++i) {
    if (descriptors[i].events == 0) continue;  // not taken
    engines[i]->waiter().disarm();
    engines[i]->driver().give_back();
  }
}

}  // namespace

inline namespace v1 {

void wait_all(std::span<Work> works) {
  alignas(std::max_align_t) std::array<std::byte, kUsualEngines*(sizeof(Engine*) + sizeof(pollfd))>
      room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::vector<Engine*> engines(&memory);
  engines.reserve(std::min(works.size(), kUsualEngines));
  for (const Work& work : works) {
    Engine* const engine = work.engine_.get();
    if (engine == nullptr || std::ranges::find(engines, engine) != engines.end()) continue;
    engines.push_back(engine);
  }
  std::pmr::vector<pollfd> descriptors(engines.size(), &memory);
  const auto done = [&works] {
    return std::ranges::all_of(works, [](Work& work) { return work.test(); });
  };
  for (int idle_turns = 0; !done();) {
    if (move_on(engines)) {
      idle_turns = 0;
    } else if (++idle_turns < kTurnsBeforeSleep) {
      sched_yield();
    } else {
      sleep_on(engines, descriptors);
    }
  }
  for (Work& work : works) work.wait();
}

}  // namespace v1
}  // namespace rondo
