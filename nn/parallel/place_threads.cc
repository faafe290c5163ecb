#include "nn/parallel/place_threads.h"

namespace rondo::nn {

PlaceThreads::PlaceThreads(std::size_t places) {
  for (std::size_t place = 1; place < places; ++place) {
    threads_.emplace_back([this, place] { serve(place); });
  }
}

PlaceThreads::~PlaceThreads() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void PlaceThreads::call(std::size_t place) {
  try {
    (*work_)(place);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!first_error_) first_error_ = std::current_exception();
  }
}

void PlaceThreads::serve(std::size_t place) {
  std::size_t seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ending_ || round_ != seen; });
      if (ending_) return;
      seen = round_;
    }
    call(place);
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) changed_.notify_all();
  }
}

void PlaceThreads::run(const std::function<void(std::size_t)>& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    first_error_ = nullptr;
    running_ = threads_.size();
    ++round_;
  }
  changed_.notify_all();
  call(0);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return running_ == 0; });
  if (first_error_) std::rethrow_exception(first_error_);
}

}  // namespace rondo::nn
