#include "rondo/nn/executor.h"

#include "core/status.h"
#include "nn/executor/program_runner.h"

namespace rondo::nn::inline v1 {

class Executor::Impl {
 public:
  explicit Impl(const ExecutorOptions& options) : runner(options) {}
  ProgramRunner runner;
};

Executor::Executor(Device place, const ExecutorOptions& options)
    : impl_(std::make_unique<Impl>(options)) {
  if (place.kind != DeviceKind::kHost) {
    throw Error(ErrorCode::kUnsupported, std::string("no kernels for device ") +
                                             rondo::to_string(place.kind) +
                                             " in this build; use Device::host()");
  }
}

Executor::Executor(Executor&&) noexcept = default;
Executor& Executor::operator=(Executor&&) noexcept = default;
Executor::~Executor() = default;

std::vector<Tensor> Executor::run(const Program& program, const Feed& feed,
                                  const std::vector<VarName>& fetch, Scope& scope) {
  return value_or_throw(impl_->runner.run(program, feed, fetch, scope));
}

ExecutorStats Executor::stats() const { return impl_->runner.stats(); }

}  // namespace rondo::nn::inline v1
