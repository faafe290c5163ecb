// Waiting for calls of several communicators with one thread: none of them may be able to end
// before the others have been moved on, so all are, in turn. Where nothing moves the thread sleeps
// on what a wait for each of them would, with the batons of all, so that nobody else reads what it
// is to be woken by. What it can't have, since another thread waits for it, tells nobody else.

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "collectives/communicator/engine.h"
#include "collectives/communicator/pending_call.h"
#include "rondo/work.h"

namespace rondo {
namespace {

using communicator::Engine;

/// Turns without any news before sleeping, the core given away between them.
constexpr int kTurnsBeforeSleep = 200;
/// What another thread drives is looked at as often.
constexpr std::int64_t kSleepMs = 1;
/// What is armed is looked at now and then all the same.
constexpr std::int64_t kLongestSleepMs = 100;

/// Waiting for so many communicators at a time allocates nothing: the lists are on the stack, since
/// a continuation may itself wait for others.
constexpr std::size_t kUsualEngines = 32;

using Engines = std::span<Engine* const>;

bool move_on(Engines engines) {
  bool moved = false;
  for (Engine* engine : engines) moved |= engine->nudge();
  return moved;
}

/// As for `move_on`, behind it: what its look has read.
bool move_on_again(Engines engines) {
  bool moved = false;
  for (Engine* engine : engines) moved |= engine->nudge_again();
  return moved;
}

/// With room for a descriptor of each engine, until `disarm`; how long (ms) they may be slept on.
/// Nothing of the program's runs meanwhile: it might wait for a baton that this thread holds.
std::int64_t arm(Engines engines, std::span<pollfd> descriptors) {
  std::int64_t most_ms = kLongestSleepMs;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    // poll passes over descriptors that are negative.
    descriptors[i] = {.fd = -1, .events = 0, .revents = 0};
    Engine& engine = *engines[i];
    if (engine.driver().idle()) continue;
    if (!engine.take_to_sleep()) {
      most_ms = std::min(most_ms, kSleepMs);
      continue;
    }
    descriptors[i] = {.fd = engine.waiter().wake_fd(), .events = POLLIN, .revents = 0};
    most_ms = std::min(most_ms, engine.driver().arm_to_sleep());
  }
  return most_ms;
}

void disarm(Engines engines, std::span<const pollfd> descriptors) {
  for (std::size_t i = 0; i < engines.size(); ++i) {
    if (descriptors[i].events == 0) continue;  // not taken
    engines[i]->driver().disarm();
    engines[i]->driver().let_go();
  }
  for (Engine* engine : engines) engine->driver().answer();
}

/// Until one of the engines has something to look at; not at all where `has_ended` says, once they
/// are to wake this thread, that there is nothing left to wait for.
template <class HasEnded>
void sleep_on(Engines engines, std::span<pollfd> descriptors, const HasEnded& has_ended) {
  const std::int64_t most_ms = arm(engines, descriptors);
  if (has_ended()) {
    sched_yield();
  } else {
    poll(descriptors.data(), descriptors.size(), static_cast<int>(most_ms));
  }
  disarm(engines, descriptors);
}

}  // namespace

inline namespace v1 {

void wait_all(std::span<Work> works) {
  alignas(std::max_align_t) std::array<std::byte, kUsualEngines*(sizeof(Engine*) + sizeof(pollfd))>
      room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::vector<Engine*> engines(&memory);
  engines.reserve(std::min(works.size(), kUsualEngines));
  const auto is_done = [](const Work& work) { return work.call_ == nullptr || work.call_->done(); };
  for (Work& work : works) {
    Engine* const engine = work.engine_.get();
    if (engine == nullptr || is_done(work)) continue;
    // In a continuation of its own it would never be done, which `wait` says.
    if (engine->driver().is_called_back()) work.wait();
    if (std::ranges::find(engines, engine) == engines.end()) engines.push_back(engine);
  }
  std::pmr::vector<pollfd> descriptors(engines.size(), &memory);
  // That another thread is just ending one nobody is told.
  const auto has_ended = [&works, &is_done] {
    return std::ranges::all_of(works, is_done) || std::ranges::any_of(works, [&](const Work& work) {
             return !is_done(work) && work.engine_->driver().idle();
           });
  };
  for (int idle_turns = 0; !std::ranges::all_of(works, is_done);) {
    const bool is_long = ++idle_turns >= kTurnsBeforeSleep;
    if (move_on(engines) || (is_long && move_on_again(engines))) {
      idle_turns = 0;
    } else if (is_long) {
      sleep_on(engines, descriptors, has_ended);
    } else {
      sched_yield();
    }
  }
  for (Engine* engine : engines) engine->leave_to_thread();
  for (Work& work : works) work.wait();
}

}  // namespace v1
}  // namespace rondo
