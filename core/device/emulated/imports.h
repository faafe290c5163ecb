#pragma once

// What the emulated devices of other processes have exported, as far as this one uses it.
// Threads: any.

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "core/device/emulated/alias_table.h"
#include "core/device/emulated/event_board.h"
#include "core/device/emulated/mapping.h"
#include "core/device/shared_handle.h"
#include "core/device/stream.h"
#include "core/status.h"

namespace rondo::device {

class EmulatedImports {
 public:
  /// `table` outlives this.
  explicit EmulatedImports(AliasTable& table) : table_(table) {}
  EmulatedImports(const EmulatedImports&) = delete;
  EmulatedImports& operator=(const EmulatedImports&) = delete;
  ~EmulatedImports();

  /// Errors: InvalidArgument, Device, System.
  Result<void*> memory(const SharedHandle& handle);
  void release(void* pointer);
  Result<std::shared_ptr<detail::EventImpl>> event(const SharedHandle& handle);

 private:
  /// As the devices' own memory: a pair of mappings, of a part of the file.
  struct Memory {
    Mapping faulting;
    Mapping alias;
  };
  using BoardKey = std::tuple<std::int32_t, std::uint64_t, std::uint64_t>;

  AliasTable& table_;
  std::mutex mutex_;
  std::map<const void*, Memory> memory_;
  std::map<BoardKey, std::weak_ptr<PeerBoard>> boards_;
};

}  // namespace rondo::device
