#include "core/copy_bytes.h"

#include <cstdint>

#include "core/cache_line.h"
#include "core/prefetch.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace rondo {
namespace {

/// By vector registers, which glibc's memcpy takes for less than 4 KiB; `rep movsb` from there on.
/// AMD's Zen 3 and 4 take that byte by byte where the target begins up to 63 bytes after the
/// source, modulo a page: 1.9 GB/s instead of 40 (glibc bug 30994). malloc's large blocks begin 16
/// bytes into a page, and slots at its start, so that is what a message out of them would get.
void copy_in_pieces(std::byte* target, const std::byte* source, std::size_t bytes) {
  constexpr std::size_t kPiece = 2048;
  for (std::size_t offset = 0; offset < bytes; offset += kPiece) {
    const std::size_t left = bytes - offset;
    std::memcpy(target + offset, source + offset, left < kPiece ? left : kPiece);
  }
}

#if defined(__x86_64__)
/// A line of the target by each store, each asked for before it is its turn: stores are made one
/// behind the other, and would wait for their lines, `rep movsb` too. (Emerald Rapids, an
/// all_gather of two ranks, 64 KiB to 1 MiB: 5 to 23 % shorter than by memcpy; by shorter vectors,
/// with or without asking ahead, up to a fifth longer.)
__attribute__((target("avx512f"))) void copy_lines(std::byte* target, const std::byte* source,
                                                   std::size_t bytes) {
  constexpr std::size_t kAhead = 1024;
  constexpr std::size_t kLines = 4;
  constexpr std::size_t kBlock = kLines * kCacheLineBytes;
  const std::size_t unaligned = -reinterpret_cast<std::uintptr_t>(target) % kCacheLineBytes;
  const std::size_t head = unaligned < bytes ? unaligned : bytes;
  std::memcpy(target, source, head);
  std::size_t done = head;
  for (; done + kBlock <= bytes; done += kBlock) {
    std::byte* const to = target + done;
    const std::byte* const from = source + done;
    if (done + kAhead + kBlock <= bytes) {
      for (std::size_t line = 0; line < kLines; ++line)
        prefetch_to_write(to + kAhead + line * kCacheLineBytes);
    }
    const __m512i a = _mm512_loadu_si512(from);
    const __m512i b = _mm512_loadu_si512(from + kCacheLineBytes);
    const __m512i c = _mm512_loadu_si512(from + 2 * kCacheLineBytes);
    const __m512i d = _mm512_loadu_si512(from + 3 * kCacheLineBytes);
    _mm512_store_si512(to, a);
    _mm512_store_si512(to + kCacheLineBytes, b);
    _mm512_store_si512(to + 2 * kCacheLineBytes, c);
    _mm512_store_si512(to + 3 * kCacheLineBytes, d);
  }
  std::memcpy(target + done, source + done, bytes - done);
}
#endif

/// What `rep movsb` takes byte by byte.
bool is_aliased(const std::byte* target, const std::byte* source) {
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::uintptr_t kAliased = 64;
  const std::uintptr_t apart =
      (reinterpret_cast<std::uintptr_t>(target) - reinterpret_cast<std::uintptr_t>(source)) % kPage;
  return apart != 0 && apart < kAliased;
}

#if defined(__x86_64__)
/// AMD's processors that have vectors of a line (an EPYC of a later kind) are faster by `rep movsb`
/// where the target begins with a line, and nobody waits for it in this core's cache: an all_gather
/// of 16 MiB 1.8 ms and 2.8, a broadcast 0.6 and 0.9, 64 KiB of a far core's 4.1 us and 5.0. Where
/// it doesn't begin so a malloc'ed all_reduce of 64 KiB takes a tenth longer.
void copy_lines_or_string(std::byte* target, const std::byte* source, std::size_t bytes) {
  const bool begins_a_line = reinterpret_cast<std::uintptr_t>(target) % kCacheLineBytes == 0;
  if (begins_a_line && !is_aliased(target, source)) {
    std::memcpy(target, source, bytes);
  } else {
    copy_lines(target, source, bytes);
  }
}
#endif

LongCopy fastest_copy() {
  if (copy_by_lines() == nullptr) return copy_by_memcpy;
#if defined(__x86_64__)
  if (__builtin_cpu_is("amd")) return copy_lines_or_string;
#endif
  return copy_by_lines();
}

}  // namespace

void copy_by_memcpy(std::byte* target, const std::byte* source, std::size_t bytes) {
  if (is_aliased(target, source)) {
    copy_in_pieces(target, source, bytes);
  } else {
    std::memcpy(target, source, bytes);
  }
}

void copy_into_cache(std::byte* target, const std::byte* source, std::size_t bytes) {
  static const LongCopy copy_long = copy_by_lines();
  if (copy_long != nullptr && bytes >= kLongCopyBytes) {
    copy_long(target, source, bytes);
  } else {
    copy_bytes(target, source, bytes);
  }
}

void copy_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) {
#if defined(__x86_64__)
  const std::size_t unaligned = -reinterpret_cast<std::uintptr_t>(target) % kCacheLineBytes;
  const std::size_t head = unaligned < bytes ? unaligned : bytes;
  std::memcpy(target, source, head);
  std::size_t done = head;
  // A whole line one behind the other: it leaves the core as one.
  for (; done + kCacheLineBytes <= bytes; done += kCacheLineBytes) {
    const auto* const from = reinterpret_cast<const __m128i*>(source + done);
    auto* const to = reinterpret_cast<__m128i*>(target + done);
    const __m128i a = _mm_loadu_si128(from);
    const __m128i b = _mm_loadu_si128(from + 1);
    const __m128i c = _mm_loadu_si128(from + 2);
    const __m128i d = _mm_loadu_si128(from + 3);
    _mm_stream_si128(to, a);
    _mm_stream_si128(to + 1, b);
    _mm_stream_si128(to + 2, c);
    _mm_stream_si128(to + 3, d);
  }
  std::memcpy(target + done, source + done, bytes - done);
  _mm_sfence();
#else
  std::memcpy(target, source, bytes);
#endif
}

LongCopy copy_by_lines() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return copy_lines;
#endif
  return nullptr;
}

void copy_long_bytes(std::byte* target, const std::byte* source, std::size_t bytes) {
  static const LongCopy copy = fastest_copy();
  copy(target, source, bytes);
}

}  // namespace rondo
