#pragma once

// The store of protocols in which each of two sides writes and then looks at what the other has
// written: one of them sees the other, since no look overtakes the writing before it (E. W.
// Dijkstra, "Cooperating sequential processes", 1965, after Th. J. Dekker).

#include <atomic>
#include <type_traits>

namespace rondo {

/// Seen by everyone before what the caller loads next with memory_order_seq_cst. As an exchange,
/// which on x86-64 is what a sequentially consistent store is anyway: on Arm that store is an
/// instruction which processors keep in order with such loads, and qemu (7.2, on x86-64) doesn't.
/// Threads: any.
template <class T>
void store_before_loads(std::atomic<T>& place, std::type_identity_t<T> value) {
  place.exchange(value, std::memory_order_seq_cst);
}

}  // namespace rondo
