// What an all-reduce of registered buffers can't beat: the loads and stores of the direct algorithm
// (each rank sums its part of all ranks' buffers and stores it into all of them) on the same
// freshly written shared memory, by the same ranks, without any synchronisation. Plain and
// non-temporal stores are both tried, and the faster ones are taken.

#include <fcntl.h>
#include <immintrin.h>
#include <rondo/communicator.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <span>
#include <stdexcept>
#include <string>

#include "bind.h"
#include "loop.h"

namespace {

/// Floats of one vector register.
#if defined(__AVX512F__)
constexpr std::size_t kWidth = 16;
using Vector = __m512;
Vector load(const float* from) { return _mm512_loadu_ps(from); }
Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
void store(float* to, Vector value) { _mm512_storeu_ps(to, value); }
void stream(float* to, Vector value) { _mm512_stream_ps(to, value); }
#elif defined(__AVX__)
constexpr std::size_t kWidth = 8;
using Vector = __m256;
Vector load(const float* from) { return _mm256_loadu_ps(from); }
Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
void store(float* to, Vector value) { _mm256_storeu_ps(to, value); }
void stream(float* to, Vector value) { _mm256_stream_ps(to, value); }
#else
constexpr std::size_t kWidth = 4;
using Vector = __m128;
Vector load(const float* from) { return _mm_loadu_ps(from); }
Vector add(Vector a, Vector b) { return _mm_add_ps(a, b); }
void store(float* to, Vector value) { _mm_storeu_ps(to, value); }
void stream(float* to, Vector value) { _mm_stream_ps(to, value); }
#endif

template <bool kStreams>
void sum_to_all(std::span<float* const> buffers, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; i += kWidth) {
    Vector sum = load(buffers[0] + i);
    for (std::size_t k = 1; k < buffers.size(); ++k) sum = add(sum, load(buffers[k] + i));
    for (float* const buffer : buffers) {
      if constexpr (kStreams) {
        stream(buffer + i, sum);
      } else {
        store(buffer + i, sum);
      }
    }
  }
  _mm_sfence();
}

class Bound : public bench::World {
 public:
  Bound() : communicator_(rondo::Communicator::create()) {}

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }
  bool synchronises() const override { return false; }
  void barrier() override { communicator_.barrier(); }
  void max(std::vector<double>& values) override {
    communicator_.all_reduce({values.data(), values.size()}, rondo::ReduceOp::kMax);
  }

  /// This rank's part of memory that all ranks map.
  float* allocate(std::size_t count) override {
    const std::size_t stride = (count + 1023) / 1024 * 1024;
    auto* const first = map_file(stride * sizeof(float) * static_cast<std::size_t>(size()));
    std::vector<float*>& buffers = buffers_[first + stride * static_cast<std::size_t>(rank())];
    for (int k = 0; k < size(); ++k)
      buffers.push_back(first + stride * static_cast<std::size_t>(k));
    float* const own = buffers[static_cast<std::size_t>(rank())];
    std::fill(own, own + count, 0.0F);
    return own;
  }

  Call call(const std::string& name) override {
    if (name != "all_reduce") return {};
    return [this](const bench::Data& data) { all_reduce(data); };
  }

 private:
  static constexpr int kTrials = 20;

  /// The same memory in all ranks, in huge pages where the system gives such, as Rondo's own is:
  /// with 4 KiB pages the same loads and stores may take half as long again.
  float* map_file(std::size_t bytes) {
    constexpr std::size_t kHuge = std::size_t{2} << 20;
    const int own = rank() == 0 ? memfd_create("bound", MFD_CLOEXEC) : -1;
    if (rank() == 0 && (own < 0 || ftruncate(own, static_cast<off_t>(bytes)) != 0))
      throw std::runtime_error("cannot make shared memory");
    std::int32_t whose[2] = {getpid(), own};
    communicator_.broadcast({whose, 2}, 0);
    const std::string path =
        "/proc/" + std::to_string(whose[0]) + "/fd/" + std::to_string(whose[1]);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    barrier();
    if (own >= 0) close(own);
    // Where a huge page could begin.
    void* const room =
        mmap(nullptr, bytes + kHuge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const auto at = (reinterpret_cast<std::uintptr_t>(room) + kHuge - 1) / kHuge * kHuge;
    void* const all = mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_FIXED, file, 0);
    close(file);
    if (file < 0 || room == MAP_FAILED || all == MAP_FAILED)
      throw std::runtime_error("cannot map " + path);
    // As Rondo's registered memory is.
    constexpr int kMadviseCollapse = 25;
    if (madvise(all, bytes, kMadviseCollapse) != 0) madvise(all, bytes, MADV_HUGEPAGE);
    return static_cast<float*>(all);
  }

  void all_reduce(const bench::Data& data) {
    const std::size_t part = data.total / static_cast<std::size_t>(size()) / kWidth * kWidth;
    const std::size_t begin = part * static_cast<std::size_t>(rank());
    const auto& buffers = buffers_.at(data.output);
    if (calls_++ < 2 * kTrials) return try_out(buffers, begin, begin + part);
    (streams_ ? sum_to_all<true> : sum_to_all<false>)(buffers, begin, begin + part);
  }

  void try_out(std::span<float* const> buffers, std::size_t begin, std::size_t end) {
    const auto start = std::chrono::steady_clock::now();
    const bool streams = calls_ % 2 == 0;
    (streams ? sum_to_all<true> : sum_to_all<false>)(buffers, begin, end);
    const auto took = std::chrono::steady_clock::now() - start;
    auto& least = least_[streams ? 1 : 0];
    least = std::min(least, took);
    streams_ = least_[1] < least_[0];
  }

  rondo::Communicator communicator_;
  std::map<const float*, std::vector<float*>> buffers_;
  int calls_ = 0;
  std::chrono::steady_clock::duration least_[2] = {std::chrono::hours(1), std::chrono::hours(1)};
  bool streams_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    bench::bind_to_own_core();
    Bound world;
    return bench::run(world, {argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bound_loop: %s\n", error.what());
    return 1;
  }
}
