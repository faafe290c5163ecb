#pragma once

// Block 0 of a program as a flat list of kernels over a table of variables. Compiled once for a
// set of variables fed and fetched; batch sizes may differ from run to run.
// A run binds what is fed and what persists, works out shapes and memory where they changed since
// the last run, then goes down the list.
// Threads: one at a time.

#include <functional>
#include <memory>

#include "nn/executor/step.h"
#include "nn/executor/temporary_memory.h"

namespace rondo::nn {

/// Called after each op with its position in the block.
using OpHook = std::function<Status(std::size_t)>;

struct CompileOptions {
  StepOptions step;
  /// Variables whose memory is given, by name.
  const std::map<std::string, Tensor>* pinned = nullptr;
};

class CompiledProgram {
 public:
  static Result<std::unique_ptr<CompiledProgram>> compile(const Program& program,
                                                          const std::vector<std::string>& fed,
                                                          const std::vector<std::string>& fetched,
                                                          const CompileOptions& options);

  /// Copies of the fetched variables.
  Result<std::vector<Tensor>> run(const Feed& feed, Scope& scope, const OpHook& hook);

  std::uint64_t allocations() const { return memory_.allocations(); }

 private:
  Status bind_fed(const Feed& feed);
  Status bind_persistable(Scope& scope);
  Status infer_types();
  void hand_on_sequences();
  Status run_steps(const OpHook& hook);

  VarSlots slots_;
  std::vector<std::string> fetched_;
  std::vector<std::unique_ptr<Step>> steps_;
  TemporaryMemory memory_;
  bool stale_ = true;  // shapes or memory no longer fit what is fed
};

}  // namespace rondo::nn
