#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rondo/export.h"
#include "rondo/nn/program.h"
#include "rondo/nn/tensor.h"

namespace rondo::nn::inline v1 {

/// Values by name. A scope sees its parent's variables; those it creates are its own and end with
/// it. A parent outlives its children.
/// Threads: one at a time.
class RONDO_API Scope {
 public:
  explicit Scope(const Scope* parent = nullptr) : parent_(parent) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// This scope's variable, created (empty) where there is none. The reference stays valid.
  Tensor& var(const std::string& name) { return vars_[name]; }
  /// This scope's variable, else its parents'; null where there is none.
  const Tensor* find_var(const std::string& name) const;
  /// The value of a variable. Errors: InvalidArgument where it has none.
  const Tensor& value(const VarName& name) const;
  /// Overwrites the value that is there. Errors: InvalidArgument where there is none, or where it
  /// has another type or shape.
  void assign(const VarName& name, const Tensor& value) const;

 private:
  const Scope* parent_;
  std::unordered_map<std::string, Tensor> vars_;
};

/// The scope that executors use unless told.
RONDO_API Scope& global_scope();

/// Where kernels come from. `kReference` are plain loops in f32 and f64: slow, and what the others
/// are measured against. `kOneDnn` insists on oneDNN where it has the op, so that f64 is an error.
/// `kAuto` takes the fastest that can do the type.
enum class KernelLibrary : std::uint8_t { kAuto, kOneDnn, kReference };

/// From "auto", "onednn" or "reference". Errors: InvalidArgument.
RONDO_API KernelLibrary kernel_library_from(const std::string& name);

struct ExecutorOptions {
  KernelLibrary library = KernelLibrary::kAuto;
  int threads = 1;  ///< that a kernel may use
};

/// What an executor has had to build so far; stands still once the work repeats.
struct ExecutorStats {
  std::uint64_t programs_compiled = 0;
  std::uint64_t primitives_created = 0;  ///< of oneDNN: one for each new shape
  std::uint64_t buffers_allocated = 0;   ///< growths of the temporaries' memory
};

/// Values for a run, by variable. They are read in place, not copied.
using Feed = std::map<std::string, Tensor>;

/// Runs programs on one device. Move-only.
///
/// Persistable variables live in the scope given; the others live in memory of the executor, which
/// is reused from op to op and from run to run.
/// Threads: one per executor.
class RONDO_API Executor {
 public:
  /// Errors: Unsupported (the device).
  explicit Executor(Device place = Device::host(), const ExecutorOptions& options = {});
  Executor(Executor&&) noexcept;
  Executor& operator=(Executor&&) noexcept;
  ~Executor();

  /// Runs every op of block 0 in order, then returns copies of the variables named in `fetch` (any
  /// of block 0). A program is compiled at its first run with these variables fed and fetched;
  /// another batch size doesn't compile it again.
  /// Errors: InvalidArgument, naming the op, the variable, and the type and shape expected and
  /// received.
  std::vector<Tensor> run(const Program& program, const Feed& feed = {},
                          const std::vector<VarName>& fetch = {}, Scope& scope = global_scope());

  ExecutorStats stats() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rondo::nn::inline v1
