// What the ways between processes cost for memory that isn't registered: through shared slots,
// copied in by its owner and out by the reader, the same with non-temporal stores into the slots or
// into the reader's memory, and by process_vm_readv, copied once by the kernel.
//   copy_ways [LARGEST_MIB]      prints all for each size (32)
// Two processes, each on a core of its own; sources are written anew before each round; a round's
// time is the slower process's; medians. One way, and both ways at once, as in an all-reduce.

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/peers/two_processes.h"
#include "core/copy_bytes.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace {

constexpr std::size_t kSlotBytes = 65'536;
constexpr std::size_t kSlots = 4;
constexpr std::size_t kReadBytes = 262'144;  ///< of one process_vm_readv
constexpr std::size_t kFewRounds = 15;
constexpr std::size_t kRounds = 101;

using rondo::bench::Line;

/// Pieces are whole vectors, and so begin.
void copy_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) {
#ifdef __SSE2__
  for (std::size_t at = 0; at < bytes; at += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + at)));
  _mm_sfence();
#else
  rondo::copy_bytes(target, source, bytes);
#endif
}

/// What one process shows the other.
struct Side {
  Line written, read;
  std::byte* source = nullptr;
  pid_t process = 0;
  alignas(64) std::array<std::array<std::byte, kSlotBytes>, kSlots> slots;
};

class Process {
 public:
  Process(Side* sides, rondo::bench::Pair& pair)
      : own_(sides[pair.rank()]), peer_(sides[1 - pair.rank()]), pair_(pair) {
    own_.process = getpid();
  }

  void measure(std::size_t bytes) {
    source_.assign(bytes, std::byte{1});
    target_.assign(bytes, std::byte{0});
    own_.source = source_.data();
    for (const bool both : {false, true}) {
      using rondo::copy_bytes;
      const double slots = median(bytes, both, &Process::by_slots<copy_bytes, copy_bytes>);
      const double into = median(bytes, both, &Process::by_slots<copy_past_caches, copy_bytes>);
      const double out = median(bytes, both, &Process::by_slots<copy_bytes, copy_past_caches>);
      const double reads = median(bytes, both, &Process::by_reads);
      if (pair_.rank() == 0)
        std::printf("%10zu %-9s %10.1f %10.1f %10.1f %10.1f\n", bytes,
                    both ? "both ways" : "one way", slots, into, out, reads);
    }
  }

 private:
  using Way = void (Process::*)(std::size_t bytes, bool sends, bool receives);

  double median(std::size_t bytes, bool both, Way way) {
    const bool sends = both || pair_.rank() == 0;
    const bool receives = both || pair_.rank() == 1;
    return pair_.median_us(
        bytes > (4U << 20) ? kFewRounds : kRounds,
        [&] { std::ranges::fill(source_, static_cast<std::byte>(++rounds_)); },
        [&] { (this->*way)(bytes, sends, receives); },
        [&] {
          if (receives && target_.back() != source_.back()) std::abort();
        });
  }

  template <auto copy_in, auto copy_out>
  void by_slots(std::size_t bytes, bool sends, bool receives) {
    const std::size_t piece = std::min(kSlotBytes, bytes / 2);
    std::size_t out = sends ? 0 : bytes;
    std::size_t in = receives ? 0 : bytes;
    while (out < bytes || in < bytes) {
      if (out < bytes && written_ - peer_.read.value.load(std::memory_order_acquire) < kSlots) {
        copy_in(own_.slots[written_ % kSlots].data(), source_.data() + out, piece);
        out += piece;
        own_.written.value.store(++written_, std::memory_order_release);
      }
      if (in < bytes && peer_.written.value.load(std::memory_order_acquire) > read_) {
        copy_out(target_.data() + in, peer_.slots[read_ % kSlots].data(), piece);
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
  rondo::bench::Pair& pair_;
  std::vector<std::byte> source_, target_;
  std::uint64_t written_ = 0, read_ = 0, rounds_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t largest = (argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 32) << 20;
  auto* const sides = rondo::bench::make_shared_memory<Side>(2);
  if (sides == nullptr) return 1;
  std::puts("#    bytes ways        slots us   nt in us  nt out us   reads us");
  std::fflush(stdout);
  return rondo::bench::in_two_processes([&](rondo::bench::Pair& pair) {
    Process process(sides, pair);
    for (std::size_t bytes = 16'384; bytes <= largest; bytes *= 4) process.measure(bytes);
  });
}
