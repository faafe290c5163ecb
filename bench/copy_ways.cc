// What the two ways between processes cost for memory that isn't registered: through shared slots,
// copied in by its owner and out by the reader, and by process_vm_readv, copied once by the kernel.
//   copy_ways [LARGEST_MIB]      prints both for each size (32)
// Two processes, each on a core of its own; sources are written anew before each round; a round's
// time is the slower process's; medians. One way, and both ways at once, as in an all-reduce.

#include <sched.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/copy_bytes.h"

namespace {

constexpr std::size_t kSlotBytes = 65'536;
constexpr std::size_t kSlots = 4;
constexpr std::size_t kReadBytes = 262'144;  ///< of one process_vm_readv
constexpr std::size_t kFewRounds = 15;
constexpr std::size_t kRounds = 101;

struct alignas(64) Line {
  std::atomic<std::uint64_t> value{0};
};

/// What one process shows the other.
struct Side {
  Line arrived, written, read;
  std::byte* source = nullptr;
  pid_t process = 0;
  double us = 0;
  alignas(64) std::array<std::array<std::byte, kSlotBytes>, kSlots> slots;
};

class Process {
 public:
  Process(Side* sides, int rank) : own_(sides[rank]), peer_(sides[1 - rank]), rank_(rank) {
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(static_cast<std::size_t>(rank), &core);
    sched_setaffinity(0, sizeof core, &core);
    own_.process = getpid();
  }

  void measure(std::size_t bytes) {
    source_.assign(bytes, std::byte{1});
    target_.assign(bytes, std::byte{0});
    own_.source = source_.data();
    for (const bool both : {false, true}) {
      const double slots = median(bytes, both, &Process::by_slots);
      const double reads = median(bytes, both, &Process::by_reads);
      if (rank_ == 0)
        std::printf("%10zu %-9s %12.1f %12.1f %8.2f\n", bytes, both ? "both ways" : "one way",
                    slots, reads, reads / slots);
    }
  }

 private:
  using Way = void (Process::*)(std::size_t bytes, bool sends, bool receives);

  double median(std::size_t bytes, bool both, Way way) {
    std::vector<double> times(bytes > (4U << 20) ? kFewRounds : kRounds);
    for (double& time : times) {
      std::ranges::fill(source_, static_cast<std::byte>(++rounds_));
      meet();
      const auto start = std::chrono::steady_clock::now();
      (this->*way)(bytes, both || rank_ == 0, both || rank_ == 1);
      meet();
      own_.us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
                    .count();
      meet();
      time = std::max(own_.us, peer_.us);
      meet();
      if ((both || rank_ == 1) && target_.back() != source_.back()) std::abort();
    }
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
    return times[times.size() / 2];
  }

  void meet() {
    own_.arrived.value.store(++meetings_, std::memory_order_release);
    while (peer_.arrived.value.load(std::memory_order_acquire) < meetings_) {
    }
  }

  void by_slots(std::size_t bytes, bool sends, bool receives) {
    const std::size_t piece = std::min(kSlotBytes, bytes / 2);
    std::size_t out = sends ? 0 : bytes;
    std::size_t in = receives ? 0 : bytes;
    while (out < bytes || in < bytes) {
      if (out < bytes && written_ - peer_.read.value.load(std::memory_order_acquire) < kSlots) {
        rondo::copy_bytes(own_.slots[written_ % kSlots].data(), source_.data() + out, piece);
        out += piece;
        own_.written.value.store(++written_, std::memory_order_release);
      }
      if (in < bytes && peer_.written.value.load(std::memory_order_acquire) > read_) {
        rondo::copy_bytes(target_.data() + in, peer_.slots[read_ % kSlots].data(), piece);
        in += piece;
        own_.read.value.store(++read_, std::memory_order_release);
      }
    }
  }

  void by_reads(std::size_t bytes, bool, bool receives) {
    for (std::size_t at = 0; receives && at < bytes; at += kReadBytes) {
      const std::size_t piece = std::min(kReadBytes, bytes - at);
      const iovec here{target_.data() + at, piece};
      const iovec there{peer_.source + at, piece};
      if (process_vm_readv(peer_.process, &here, 1, &there, 1, 0) != static_cast<ssize_t>(piece)) {
        std::perror("copy_ways: process_vm_readv");
        std::abort();
      }
    }
  }

  Side& own_;
  Side& peer_;
  int rank_;
  std::vector<std::byte> source_, target_;
  std::uint64_t meetings_ = 0, written_ = 0, read_ = 0, rounds_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t largest = (argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 32) << 20;
  void* const shared = mmap(nullptr, 2 * sizeof(Side), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (shared == MAP_FAILED) return 1;
  auto* const sides = new (shared) Side[2];
  std::puts("#    bytes ways         slots us     reads us    reads / slots");
  std::fflush(stdout);
  const pid_t child = fork();
  Process process(sides, child == 0 ? 1 : 0);
  for (std::size_t bytes = 16'384; bytes <= largest; bytes *= 4) process.measure(bytes);
  if (child == 0) _exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}
