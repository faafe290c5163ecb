#pragma once

// Whole collectives by a library that comes with a kind of device: NCCL for NVIDIA's, or what a
// plug-in registers. Ranks join a communicator of it by an id that one of them has made; then their
// calls, in the same order on all ranks, go into the devices' streams as kernels do.
//
// Nothing here waits: what takes longer goes on behind the caller, who asks `ready`. So deadlines
// and what became of peers stay with the caller, and so does giving up.
// Source: NCCL's communicators that don't block (ncclConfig_t::blocking = 0).

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/device/stream.h"
#include "core/status.h"
#include "rondo/types.h"

namespace rondo::device {

/// Where the ranks of a communicator find each other: the library's own bytes.
struct LibraryId {
  std::array<std::byte, 128> bytes{};
};

/// `count` elements on the caller's device. Which of the two is used where, and whose count it is,
/// each call says.
struct LibraryBuffers {
  const void* input = nullptr;
  void* output = nullptr;
  std::size_t count = 0;
  DataType type = DataType::kF32;
};

/// One rank's part of a communicator. Destroying it leaves the communicator, and gives up what
/// isn't done by then. Errors of all calls: Device, with what the library says.
/// Threads: one at a time; the streams are the device's own.
class LibraryCommunicator {
 public:
  virtual ~LibraryCommunicator() = default;

  /// Whether the library has taken what was asked for last (joining is the first); nothing else may
  /// be asked for before, and streams know nothing of it. Also tells what failed since.
  virtual Result<bool> ready() = 0;

  /// `count` elements of every rank are combined, for every rank.
  virtual Status all_reduce(const LibraryBuffers& buffers, ReduceOp op,
                            detail::StreamImpl& stream) = 0;
  /// The same for `root` alone, which alone has an output.
  virtual Status reduce(const LibraryBuffers& buffers, ReduceOp op, int root,
                        detail::StreamImpl& stream) = 0;
  /// Of `root`, which alone has an input, to every rank.
  virtual Status broadcast(const LibraryBuffers& buffers, int root, detail::StreamImpl& stream) = 0;
  /// `count` elements of each rank, one after the other, to every rank.
  virtual Status all_gather(const LibraryBuffers& buffers, detail::StreamImpl& stream) = 0;
  /// Each rank gets `count` elements of what all are combined to: the part of its rank.
  virtual Status reduce_scatter(const LibraryBuffers& buffers, ReduceOp op,
                                detail::StreamImpl& stream) = 0;
  /// The input goes to `peer`, which receives as many.
  virtual Status send(const LibraryBuffers& buffers, int peer, detail::StreamImpl& stream) = 0;
  /// The output comes from `peer`.
  virtual Status receive(const LibraryBuffers& buffers, int peer, detail::StreamImpl& stream) = 0;

  /// What is asked for in between is one, and its parts wait for nothing of each other.
  virtual Status begin_group() = 0;
  virtual Status end_group() = 0;

  /// Ends what the devices are doing for it, as soon as they see it. Of no use afterwards.
  virtual void give_up() = 0;
};

enum class LibraryFunction : std::uint8_t {
  kAllReduce,
  kReduce,
  kBroadcast,
  kAllGather,
  kReduceScatter,
  kMessages,  ///< send, receive
  kGroups,    ///< begin_group, end_group
};

/// Threads: any.
class CollectiveLibrary {
 public:
  virtual ~CollectiveLibrary() = default;

  /// "nccl": the algorithm's name in what is told of a call.
  virtual std::string_view name() const = 0;
  /// "nccl 2.28.7": ranks can join where they have the same.
  virtual std::string version() const = 0;
  /// Whether two ranks of a communicator can't be on the same device.
  virtual bool needs_own_device() const = 0;
  virtual bool has(LibraryFunction function) const = 0;
  /// Whether it reduces elements of that type so.
  virtual bool reduces(DataType type, ReduceOp op) const = 0;

  /// Errors: Device.
  virtual Result<LibraryId> make_id() = 0;
  /// Begins to join; all ranks of the world do. Errors: Device.
  virtual Result<std::unique_ptr<LibraryCommunicator>> join(int device, const LibraryId& id,
                                                            int rank, int world) = 0;
};

}  // namespace rondo::device
