#include "nn/executor/thread_limit.h"

#include <algorithm>

// Declared here rather than by <omp.h>: it has to be GNU's OpenMP, which Debian's oneDNN is linked
// with, also where clang (whose own OpenMP is another) compiles this.
extern "C" {
void omp_set_num_threads(int threads);
int omp_get_max_threads();
}

namespace rondo::nn {

ThreadLimit::ThreadLimit(int threads) : previous_(omp_get_max_threads()) {
  omp_set_num_threads(std::max(threads, 1));
}

ThreadLimit::~ThreadLimit() { omp_set_num_threads(previous_); }

}  // namespace rondo::nn
