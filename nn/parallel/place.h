#pragma once

// One place at work: its communicator, its values, its compiled programs and gradient buckets.
// Threads: one, the place's.

#include <exception>

#include "nn/executor/program_runner.h"
#include "nn/parallel/gradient_buckets.h"
#include "rondo/nn/parallel_executor.h"

namespace rondo::nn {

/// What all places of one ParallelExecutor have in common.
struct ParallelJob {
  Program program;   ///< as made by training_program
  std::string loss;  ///< empty: no backward
  ParallelOptions options;
};

class Place {
 public:
  Place(const ParallelJob& job, Communicator& communicator, Scope& scope);
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  /// Agrees with the other ranks on the program, and takes over rank 0's values.
  void start();
  /// Throws rondo::Error, the communicator's among them. An error of this place alone (start's too)
  /// ends the communicator: the others may be waiting in a sum that this place won't take part in.
  std::vector<Tensor> run(const Feed& feed, const std::vector<VarName>& fetch, FetchMode mode);

  ExecutorStats stats() const { return runner_.stats(); }
  std::vector<std::size_t> bucket_sizes() const { return buckets_.sizes(); }

 private:
  std::vector<Tensor> run_step(const Feed& feed, const std::vector<VarName>& fetch, FetchMode mode);
  bool feeds_loss_gradient() const;
  double share_of_batch(const Feed& feed);
  Tensor loss_gradient(double share) const;
  void mean_over_ranks(Tensor& value, double share);

  const ParallelJob& job_;
  Communicator& communicator_;
  Scope& scope_;
  ProgramRunner runner_;
  GradientBuckets buckets_;
  std::exception_ptr communication_error_;
};

}  // namespace rondo::nn
