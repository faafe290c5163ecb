#include "nn/executor/program_runner.h"

#include "nn/executor/thread_limit.h"

namespace rondo::nn {
namespace {

std::string id_of(const Program& program) { return std::to_string(program.id()) + "/"; }

std::string state_of(const Program& program) {
  return id_of(program) + std::to_string(program.revision()) + "/" +
         std::to_string(program.random_seed()) + "/";
}

// What a compiled program depends on. Types, ranks and static sizes of what is fed need no place
// in it: they are the program's, and every feed is checked against them.
std::string signature(const Program& program, const Feed& feed, const std::vector<VarName>& fetch) {
  std::string text = state_of(program);
  for (const auto& [name, tensor] : feed) text += "\n<" + name;
  for (const VarName& name : fetch) text += "\n>" + name.text;
  return text;
}

}  // namespace

Result<CompiledProgram*> ProgramRunner::find_or_compile(const Program& program, const Feed& feed,
                                                        const std::vector<VarName>& fetch) {
  auto& entry = compiled_[signature(program, feed, fetch)];
  if (entry != nullptr) return entry.get();
  std::erase_if(compiled_, [&](const auto& other) {  // what the program was before it changed
    return other.first.starts_with(id_of(program)) && !other.first.starts_with(state_of(program));
  });
  std::vector<std::string> fed;
  for (const auto& [name, tensor] : feed) fed.push_back(name);
  std::vector<std::string> fetched;
  for (const VarName& name : fetch) fetched.push_back(name.text);
  const StepOptions step{options_.library, DeviceKind::kHost, program.random_seed(), &counters_};
  RONDO_ASSIGN(entry, CompiledProgram::compile(program, fed, fetched, {step, &pinned_}));
  ++programs_compiled_;
  return entry.get();
}

Result<std::vector<Tensor>> ProgramRunner::run(const Program& program, const Feed& feed,
                                               const std::vector<VarName>& fetch, Scope& scope,
                                               const OpHook& hook) {
  const ThreadLimit limit(options_.threads);
  RONDO_ASSIGN(CompiledProgram * compiled, find_or_compile(program, feed, fetch));
  return compiled->run(feed, scope, hook);
}

ExecutorStats ProgramRunner::stats() const {
  ExecutorStats stats{programs_compiled_, counters_.primitives_created, 0};
  for (const auto& [key, compiled] : compiled_) {
    if (compiled != nullptr) stats.buffers_allocated += compiled->allocations();
  }
  return stats;
}

}  // namespace rondo::nn
