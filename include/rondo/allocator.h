#pragma once

#include <cstddef>
#include <functional>

#include "rondo/device.h"
#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

/// What the memory that a program hands to Rondo has to be aligned to: a cache line.
inline constexpr std::size_t kMemoryAlignment = 64;

/// Where Rondo takes memory for payloads from: scratch of plans, messages that wait to be asked
/// for, encoded messages and what their rounding lost. Both functions or neither.
struct Allocator {
  /// `bytes` (more than 0) of the device's memory, aligned to kMemoryAlignment; null: there are
  /// none.
  std::function<void*(Device device, std::size_t bytes)> allocate;
  /// Takes back what `allocate` gave, of the same size.
  std::function<void(Device device, void* memory, std::size_t bytes)> release;
};

/// Rondo asks the program for memory from now on, for the whole process; an empty one: Rondo's own
/// way again. What was allocated goes back to the allocator it came from, whenever that is: an
/// allocator must outlive the communicators that were made or used with it, and memory of devices
/// may come back after the last of them, since it does so when nothing on them waits for a call any
/// more, nor is at the work of one that was given up: before that they may still write there, and
/// freeing it may wait for them. set_allocator itself waits for what is on its way, for a second at
/// most: whoever lets an allocator go before the process ends sets another one, or an empty one,
/// first. All is back then, unless a call in a stream or with other processes takes longer than
/// that, of whichever communicator, or one was given up whose peer stands still or has died: that
/// comes later, or never, and who counts what is out knows.
/// Memory that processes share isn't asked for (it is a file's, which no allocator can give), nor
/// are Rondo's small objects (docs/c-abi.md lists both).
/// Costs nothing where nothing is allocated: calls that are made again allocate nothing.
/// Errors: InvalidArgument (one function of two). Of a call that gets no memory: System on the
/// host, Device elsewhere; InvalidArgument where the memory isn't aligned or is none of the device.
/// Threads: any; both functions are called by whichever thread makes, runs or ends a communicator,
/// `release` by a thread of Rondo's, too, several at once, and must not use a communicator. What
/// `allocate` throws counts as null. No lock that `release` takes may be held over a call of
/// Rondo's: that may wait for a `release` of another thread's.
RONDO_API void set_allocator(Allocator allocator);

}  // namespace v1
}  // namespace rondo
