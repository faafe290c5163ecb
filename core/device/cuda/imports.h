#pragma once

// Memory of other processes, as CUDA devices of this one see it. The driver maps whole allocations
// and counts how often; where an allocation has been freed and another one lies at its address, the
// old mapping has to go before the new one can come, or the old bytes are read. Which one a mapping
// is of, the driver's handle tells, too: a process that was started again may have the number of
// the one before, and count its allocations alike.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/device/cuda/context.h"
#include "core/device/shared_handle.h"
#include "core/status.h"

namespace rondo::device {

/// Threads: any.
class CudaImports {
 public:
  /// The handle has been checked. Errors: Device (among them: it `waits`).
  Result<void*> open(const CudaContext& context, const SharedHandle& memory);
  /// Nothing for an address that isn't open.
  void close(void* pointer);
  /// Whether what lay there before that memory is still open on the device of index `index`, as its
  /// closing, begun by now, is put off.
  bool waits(int index, const SharedHandle& memory);
  /// Whether the closing of anything is put off.
  bool closes_later();

 private:
  using Key = std::pair<int, std::pair<std::int32_t, std::uint64_t>>;  ///< device, process, base
  static Key key_of(int index, const SharedHandle& memory) {
    return {index, {memory.process, memory.base}};
  }
  /// Which of the memories that have ever lain there.
  struct Memory {
    explicit Memory(const SharedHandle& handle)
        : allocation(handle.allocation), opaque(handle.opaque) {}
    bool operator==(const Memory&) const = default;

    std::uint64_t allocation;
    std::array<std::byte, 64> opaque;
  };
  struct Mapping {
    const CudaContext& context;
    CUdeviceptr base;
    Memory memory;
    int uses = 0;
    bool gone = false;  ///< closed before its time, since its memory was
  };
  Result<std::shared_ptr<Mapping>> mapping(const CudaContext& context, const SharedHandle& memory);
  void unmap(const Key& key, const std::shared_ptr<Mapping>& mapping);
  bool closes(const Key& key, const Memory& memory);
  std::shared_ptr<Mapping> taken_back(const Key& key, const Memory& memory);
  void forget_told();

  /// What the driver may be told later (CudaContext::give_back), unless it is taken back before.
  struct Closing {
    enum class State { kPutOff, kUnderWay, kOver };
    void tell(const CudaTable& table) const {
      State put_off = State::kPutOff;
      if (!state->compare_exchange_strong(put_off, State::kUnderWay)) return;
      table.cuIpcCloseMemHandle(mapping->base);
      state->store(State::kOver);
    }
    bool take_back() const {
      State put_off = State::kPutOff;
      return state->compare_exchange_strong(put_off, State::kOver);
    }
    bool is_over() const { return state->load() == State::kOver; }

    std::shared_ptr<Mapping> mapping;
    std::shared_ptr<std::atomic<State>> state =
        std::make_shared<std::atomic<State>>(State::kPutOff);
  };

  std::mutex mutex_;
  std::map<Key, Closing> closing_;  ///< while there is one, nothing else is opened there
  std::map<Key, std::shared_ptr<Mapping>> mappings_;
  /// What was handed out -> of which mapping. An address may have been that of several, one after
  /// the other: those that are gone stay until their holders close them, too.
  std::multimap<const void*, std::pair<Key, std::shared_ptr<Mapping>>> opened_;
};

}  // namespace rondo::device
