#pragma once

// What kernels on the block-level primitives are written for: the threads of one block, of which
// each runs the same code. A kernel is a template over `Block`, so that one source is compiled for
// a device (cuda_block.h) and for the host (host_block.h), where tests compare it with a plain
// loop.
//
// A Block has, for the calling thread:
//   thread(), threads()   its number in the block, and how many the block has
//   block(), blocks()     the block's number in the grid, and how many there are
//   sync()                waits until all threads of the block are there; what they wrote is seen
//   shared<T, kCount>()   memory of the block, the same for all of its threads
// and, for words that other blocks, devices and the host look at too:
//   peek(word)            orders nothing: for waiting, since each look that acquires empties the
//                         caches under the blocks beside it
//   load(word)            acquires; store(word, value) releases
//   release(), put(word, value)   once, and then for several words: as if each were stored
//   add(word, value)      does both, and gives what was there before: for a word that only the
//                         device's own blocks look at
//   pause()               between two looks at a word
//   kNearLooks, kFarLooks   of so many looks at a word one is also for another of the device's, and
//                         of so many (a multiple) one for the host's, which is far from a device
//
// "Registers" are local arrays of a thread. A primitive says which element each thread's registers
// hold; primitives with the same NX and threads agree about that.
// Source: the Kernel Primitive API of PaddlePaddle (IO, Compute, OpFunc).

#ifdef __CUDACC__
#define RONDO_KERNEL_INLINE __device__ __forceinline__
#define RONDO_UNROLL _Pragma("unroll")
#else
#define RONDO_KERNEL_INLINE inline
#define RONDO_UNROLL
#endif

namespace rondo::primitives {

/// Bytes that one access of a thread moves at most.
inline constexpr int kAccessBytes = 16;

/// Elements of T in such an access.
template <class T>
inline constexpr int kAccessLanes = kAccessBytes / static_cast<int>(sizeof(T));

}  // namespace rondo::primitives
