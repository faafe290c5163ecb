#include "core/home_core.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace rondo {
namespace {

/// As long as a kernel takes to part two threads. Who is met later has come later.
constexpr auto kFresh = std::chrono::milliseconds(10);
/// The system's own threads have one or two now and then.
constexpr long kTurnsOfOneThatStays = 8;
/// One that is there may be about to go home itself.
constexpr int kTimesTaken = 4;
constexpr auto kRemembered = std::chrono::seconds(60);
constexpr auto kFirstPause = std::chrono::seconds(10);
constexpr auto kLongestPause = std::chrono::seconds(600);

/// Whether none of the hardware threads before it is of the same processor core: "0,4" or "0-1".
bool is_first_thread(int core, const std::string& siblings_root) {
  std::ifstream file(siblings_root + "/cpu" + std::to_string(core) +
                     "/topology/thread_siblings_list");
  int first = core;
  file >> first;
  return !file || first >= core;
}

cpu_set_t only(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<std::size_t>(core), &cores);
  return cores;
}

/// The thread's mask before; nothing where it can't be bound to that core, or is.
std::optional<cpu_set_t> bind_to(int core) {
  cpu_set_t mask;
  if (core < 0 || core >= CPU_SETSIZE) return std::nullopt;
  if (::sched_getaffinity(0, sizeof mask, &mask) != 0) return std::nullopt;
  if (CPU_COUNT(&mask) < 2 || !CPU_ISSET(static_cast<std::size_t>(core), &mask))
    return std::nullopt;
  const cpu_set_t alone = only(core);
  if (::sched_setaffinity(0, sizeof alone, &alone) != 0) return std::nullopt;
  return mask;
}

/// Unless somebody else has given the thread another mask meanwhile.
void unbind(int core, const cpu_set_t& mask) {
  cpu_set_t now;
  const cpu_set_t alone = only(core);
  if (::sched_getaffinity(0, sizeof now, &now) != 0 || !CPU_EQUAL(&now, &alone)) return;
  ::sched_setaffinity(0, sizeof mask, &mask);
}

/// Of the calling thread: turns that others got while it could have run.
long turns_of_others() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

int home_core(std::span<const int> cores, const HomeShare& share, const char* siblings_root) {
  if (share.of < 2 || cores.size() < share.of) return -1;
  std::vector<int> apart;
  std::ranges::copy_if(cores, std::back_inserter(apart),
                       [&](int core) { return is_first_thread(core, siblings_root); });
  const std::span<const int> homes = apart.size() < share.of ? cores : apart;
  return homes[(share.index * homes.size() / share.of + share.shift) % homes.size()];
}

HomeCore::Sleep::Sleep(HomeCore& home) : home_(home) {
  if (home.stays_) mask_ = bind_to(home.core_);
}

HomeCore::Sleep::~Sleep() {
  if (!mask_) return;
  unbind(home_.core_, *mask_);
  home_.came_at_ = Clock::now();
}

void HomeCore::begin() {
  if (core_ >= 0) turns_ = turns_at_begin_ = turns_of_others();
}

bool HomeCore::is_shared(Clock::time_point now) {
  if (core_ < 0 || now < not_before_) return false;
  const bool at_home = ::sched_getcpu() == core_;
  if (at_home && (!stays_ || now - came_at_ > kFresh)) return false;
  const long turns_before = std::exchange(turns_, turns_of_others());
  if (turns_ == turns_before) return false;  // the machine's noise
  if (at_home) {
    if (turns_ - turns_at_begin_ >= kTurnsOfOneThatStays) is_taken(now);
    return false;
  }
  const std::optional<cpu_set_t> mask = bind_to(core_);
  if (!mask) {  // its thread is bound, or may not choose
    not_before_ = now + kLongestPause;
    return false;
  }
  unbind(core_, *mask);
  stays_ = true;
  came_at_ = Clock::now();
  return true;
}

void HomeCore::is_taken(Clock::time_point now) {
  came_at_ = Clock::time_point();  // once for each time that it comes home
  if (now - taken_at_ > kRemembered) times_taken_ = 0;
  taken_at_ = now;
  if (++times_taken_ < kTimesTaken) return;
  stays_ = false;
  times_taken_ = 0;
  pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
  not_before_ = now + pause_;
}

}  // namespace rondo
