#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rondo/communicator.h"
#include "rondo/export.h"
#include "rondo/nn/executor.h"
#include "rondo/nn/program.h"

namespace rondo::nn::inline v1 {

/// What the gradient of the loss starts from on each rank, before gradients are summed.
enum class GradientScale : std::uint8_t {
  kCoeffNumDevice,  ///< this rank's samples / all ranks' samples: the mean over the global batch
  kOne,             ///< 1: the sum over ranks of their means
  kCustomized,      ///< what is fed as the variable <loss>@GRAD
};

struct ParallelOptions {
  GradientScale gradient_scale = GradientScale::kCoeffNumDevice;
  /// Gradients are summed in groups of at most this size (a larger one is alone), in the order in
  /// which backward finishes them.
  std::size_t bucket_bytes = std::size_t{16} << 20;
  /// True promises that every rank always has equally many samples, which saves a small
  /// all-reduce in every run.
  bool equal_shards = false;
  ExecutorOptions executor = {};  ///< of each place
};

/// How `run` returns what the ranks computed.
enum class FetchMode : std::uint8_t {
  kLocal,  ///< this process's places one after the other along axis 0
  kMean,   ///< the mean over all ranks, weighted by their samples; the same on every rank
};

/// Runs one program on many places at once, each with its share of the batch, and keeps their
/// parameters equal by summing the gradients over all ranks. Every rank has the same program and
/// makes the same runs. Move-only. A whole training on one page: examples/first_training/main.cc.
/// Threads: one per object; it drives the communicators it is given from threads of its own.
class RONDO_API ParallelExecutor {
 public:
  /// One communicator for each place of this process; they outlive the object. `scope` becomes the
  /// first place's; rank 0 must have run the startup program in its own. Every rank and place then
  /// starts with rank 0's persistable variables. `loss` is empty for a program without backward.
  /// The program is copied: later changes to it have no effect.
  /// Errors: InvalidArgument, Mismatch (ranks with other programs), and the communicator's.
  ParallelExecutor(const Program& program, const VarName& loss,
                   std::span<Communicator> communicators, const ParallelOptions& options = {},
                   Scope& scope = global_scope());
  /// For a process with one place.
  ParallelExecutor(const Program& program, const VarName& loss, Communicator& communicator,
                   const ParallelOptions& options = {}, Scope& scope = global_scope());
  /// Another program (such as a clone for test) on the same places and values; `other` outlives
  /// the object.
  ParallelExecutor(const Program& program, const ParallelExecutor& other);
  ParallelExecutor(ParallelExecutor&&) noexcept;
  ParallelExecutor& operator=(ParallelExecutor&&) noexcept;
  ~ParallelExecutor();

  /// Runs the program on every place. `feed` is this process's share of the batch; several places
  /// split it evenly along axis 0, earlier places getting the smaller parts.
  /// Errors: InvalidArgument for a feed or fetch that doesn't suit the program (also: no samples,
  /// fewer samples than places), after which the run may be made again. Any other error, such as a
  /// feed that is missing, ends the communicators, so that no rank waits for one that gave up.
  std::vector<Tensor> run(const Feed& feed, const std::vector<VarName>& fetch,
                          FetchMode mode = FetchMode::kLocal);
  /// The same, with the results of each place apart.
  std::vector<std::vector<Tensor>> run_unmerged(const Feed& feed,
                                                const std::vector<VarName>& fetch);

  int place_count() const;
  /// The values of one place of this process.
  Scope& scope(int place) const;
  /// Overwrites a persistable variable on every place of this process.
  void assign(const VarName& name, const Tensor& value) const;
  ExecutorStats stats(int place) const;
  /// Bytes of each group of gradients, in the order in which they are summed.
  std::vector<std::size_t> bucket_sizes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rondo::nn::inline v1
