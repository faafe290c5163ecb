#pragma once

// Memory that other processes may have open. Freed by the program it stays with the driver until
// they have closed it, or for ten seconds: given back before, its address may come again, and they
// couldn't open what lies there then while the old one can't be closed (imports.h); and CUDA leaves
// it undefined what becomes of memory that is freed before its importers have closed it
// (cuIpcOpenMemHandle, CUDA Driver API). Threads: any.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/device/shared_handle.h"

namespace rondo::device {

class CudaExports {
 public:
  using GiveBack = std::function<void()>;

  /// `longest`: that anything stays which was freed; a thread looks ten times as often, while there
  /// is any.
  explicit CudaExports(std::chrono::milliseconds longest = std::chrono::seconds(10))
      : longest_(longest) {}

  /// Somebody more may open it from now on.
  void keep(const SharedHandle& memory);
  /// Somebody has closed it, or never will open it: behind the last one it is given back, where the
  /// program has freed it.
  void let_go(const SharedHandle& memory);
  /// The program frees the allocation. True if `give_back` is called later.
  bool put_off(std::uint64_t base, std::uint64_t allocation, GiveBack give_back);
  /// Freed by the program, and still with the driver.
  bool is_freed(std::uint64_t base, std::uint64_t allocation) const;
  /// Gives back what was freed so long ago; true if there was anything.
  bool give_back(std::chrono::milliseconds ago);

 private:
  void watch();
  void give_back_old(const std::stop_token& stop);
  struct Kept {
    int by = 0;
    GiveBack give_back;  ///< empty: not freed, or given back already
    std::chrono::steady_clock::time_point freed_at;
  };
  mutable std::mutex mutex_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Kept> kept_;  ///< by base and allocation
  int freed_ = 0;
  const std::chrono::milliseconds longest_;
  std::condition_variable_any changed_;
  std::jthread thread_;  ///< from the first on that stays; ends before all else here
};

}  // namespace rondo::device
