#pragma once

// Runs programs, compiling each once per set of variables fed and fetched. What the executors
// share: Executor has one, ParallelExecutor one for each place.
// Threads: one at a time.

#include <map>
#include <memory>
#include <string>

#include "nn/executor/compiled_program.h"

namespace rondo::nn {

class ProgramRunner {
 public:
  explicit ProgramRunner(const ExecutorOptions& options) : options_(options) {}
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  /// Gives variables their memory in every program compiled from now on.
  void pin(std::map<std::string, Tensor> pinned) { pinned_ = std::move(pinned); }

  Result<std::vector<Tensor>> run(const Program& program, const Feed& feed,
                                  const std::vector<VarName>& fetch, Scope& scope,
                                  const OpHook& hook = {});

  ExecutorStats stats() const;

 private:
  Result<CompiledProgram*> find_or_compile(const Program& program, const Feed& feed,
                                           const std::vector<VarName>& fetch);

  ExecutorOptions options_;
  std::map<std::string, Tensor> pinned_;
  KernelCounters counters_;
  std::uint64_t programs_compiled_ = 0;
  std::map<std::string, std::unique_ptr<CompiledProgram>> compiled_;  // by signature
};

}  // namespace rondo::nn
