#pragma once

// The variables of a compiled program, by number: what each one is, when it is alive, and the
// tensor that ops see. The table doesn't move once it is built, as ops point into it.

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/status.h"
#include "nn/ops/op_def.h"
#include "rondo/nn/executor.h"

namespace rondo::nn {

enum class VarKind : std::uint8_t {
  kFed,          ///< the caller's memory, read only
  kPersistable,  ///< a variable of the scope
  kPinned,       ///< memory given when the program was compiled (a bucket of gradients)
  kTemporary,    ///< memory of the compiled program, shared over time
};

struct VarSlot {
  VarDesc desc;
  VarKind kind = VarKind::kTemporary;
  std::size_t first = 0;   ///< the first op that touches it
  std::size_t last = 0;    ///< the last one; past all ops where it is fetched
  bool read_first = true;  ///< needs a value from outside
  std::size_t buffer = 0;  ///< of a temporary
  TensorType type;         ///< in the run at hand
  Tensor tensor;
};

class VarSlots {
 public:
  /// Collects the variables that block 0's ops touch, and those fed and fetched.
  /// InvalidArgument: one that the program doesn't have, is read without having a value, is fed
  /// and computed, or is fetched and never computed.
  static Result<VarSlots> build(const Block& block, const std::vector<std::string>& fed,
                                const std::vector<std::string>& fetched,
                                const std::map<std::string, Tensor>& pinned);

  VarSlot& at(const std::string& name) { return slots_[index_.at(name)]; }
  std::vector<VarSlot>& all() { return slots_; }

 private:
  Status touch(const Block& block, const std::string& name, std::size_t op, bool read);
  Status check(const Block& block) const;

  std::vector<VarSlot> slots_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace rondo::nn
