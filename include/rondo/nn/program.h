#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "rondo/export.h"
#include "rondo/nn/tensor.h"

namespace rondo::nn::inline v1 {

class Block;

/// What a program knows about one of its variables.
struct VarDesc {
  std::string name;
  DataType dtype = DataType::kF32;
  Dims dims;  ///< -1: known when the program runs
  int lod_level = 0;
  bool persistable = false;    ///< keeps its value from run to run
  bool stop_gradient = false;  ///< no gradient flows to it or past it
  bool parameter = false;      ///< made to be learnt; always persistable
  bool trainable = true;       ///< a parameter that the optimiser updates
  double learning_rate = 1.0;  ///< a parameter's factor on the optimiser's learning rate
};

/// A variable of a program: a handle that stays valid as long as the program.
class RONDO_API Var {
 public:
  Var() = default;
  explicit operator bool() const { return desc_ != nullptr; }
  const VarDesc& desc() const { return *desc_; }
  const std::string& name() const { return desc_->name; }
  DataType dtype() const { return desc_->dtype; }
  const Dims& dims() const { return desc_->dims; }
  bool persistable() const { return desc_->persistable; }
  bool stop_gradient() const { return desc_->stop_gradient; }
  bool is_parameter() const { return desc_->parameter; }
  void set_persistable(bool persistable);
  void set_stop_gradient(bool stop_gradient);
  friend bool operator==(const Var&, const Var&) = default;

 private:
  friend class Block;
  Var(Block* block, VarDesc* desc) : block_(block), desc_(desc) {}
  Block* block_ = nullptr;
  VarDesc* desc_ = nullptr;
};

/// Names a variable where one is asked for by name or by handle.
struct RONDO_API VarName {
  // Implicit: a caller passes what it has.
  // NOLINTBEGIN(google-explicit-constructor)
  VarName(const char* name) : text(name) {}
  VarName(std::string name) : text(std::move(name)) {}
  VarName(const Var& var) : text(var.name()) {}
  // NOLINTEND(google-explicit-constructor)
  std::string text;
};

using Attribute = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>>;

/// Which part of a training step an op belongs to. `kLossGradient` is the one op that starts the
/// backward part by setting the gradient of the loss.
enum class OpRole : std::uint8_t { kForward, kLossGradient, kBackward, kOptimize };

/// One operation: variables by name in named slots. An empty name in an output slot means that
/// nobody wants this result.
struct RONDO_API Op {
  using Slots = std::map<std::string, std::vector<std::string>>;
  std::string type;
  Slots inputs;
  Slots outputs;
  std::map<std::string, Attribute> attributes;
  OpRole role = OpRole::kForward;
  /// {parameter, its gradient, ...}: the gradients that this op finishes, or updates with.
  std::vector<std::string> role_vars;

  template <typename T>
  T attribute(const std::string& name, T otherwise) const {
    const auto found = attributes.find(name);
    return found == attributes.end() ? otherwise : std::get<T>(found->second);
  }
  /// "{Out: [fc_0.tmp_0]} = mul(X: [image], Y: [fc_0.w_0]) {x_num_col_dims: 1}".
  std::string to_string() const;
};

/// Ops in order and the variables they use. Block 0 of a program is the global one; others are
/// nested in a parent and see its variables.
class RONDO_API Block {
 public:
  Block(int index, Block* parent);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  int index() const { return index_; }
  /// -1 for the global block.
  int parent_index() const { return parent_ == nullptr ? -1 : parent_->index(); }

  /// Errors: InvalidArgument where the name is empty or taken.
  Var create_var(VarDesc desc);
  /// In this block, else in its parents; no var (false) where there is none.
  Var find_var(const std::string& name);
  /// The same. Errors: InvalidArgument where there is none.
  Var var(const std::string& name);
  /// This block's own, in the order of their creation.
  std::vector<Var> vars();
  const std::vector<std::unique_ptr<VarDesc>>& var_descs() const { return descs_; }
  const VarDesc* find_desc(const std::string& name) const;

  const std::vector<Op>& ops() const { return ops_; }
  std::vector<Op>& mutable_ops();
  void append_op(Op op);

  /// Grows with every change, so that what was compiled from the block is known to be stale.
  std::uint64_t revision() const { return revision_; }

 private:
  friend class Var;
  int index_;
  Block* parent_;
  std::vector<std::unique_ptr<VarDesc>> descs_;
  std::unordered_map<std::string, VarDesc*> by_name_;
  std::vector<Op> ops_;
  std::uint64_t revision_ = 0;
};

/// A computation as data: built by layers, extended by an optimiser, run by an executor. Move-only.
/// Threads: one builds; then any number may run it.
class RONDO_API Program {
 public:
  Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  Block& global_block() { return *blocks_.front(); }
  const Block& global_block() const { return *blocks_.front(); }
  int block_count() const { return static_cast<int>(blocks_.size()); }
  Block& block(int index) { return *blocks_[static_cast<std::size_t>(index)]; }
  const Block& block(int index) const { return *blocks_[static_cast<std::size_t>(index)]; }
  /// A new block nested in `parent`.
  Block& create_block(int parent);
  std::vector<Var> parameters();

  /// 0 (the default): other random numbers in every run.
  std::uint64_t random_seed() const { return random_seed_; }
  void set_random_seed(std::uint64_t seed) { random_seed_ = seed; }

  /// "fc" gives fc_0, fc_1, ...: the same names in every process that builds the same program.
  std::string unique_name(const std::string& key);

  /// A copy that shares nothing. `for_test` leaves out backward and update, and switches ops that
  /// behave differently in training.
  Program clone(bool for_test = false) const;

  /// A readable listing.
  std::string to_string() const;

  /// Different for every program of a process; moves along with it.
  std::uint64_t id() const { return id_; }
  std::uint64_t revision() const;

 private:
  std::vector<std::unique_ptr<Block>> blocks_;
  std::map<std::string, int> name_counts_;
  std::uint64_t random_seed_ = 0;
  std::uint64_t id_;
};

/// The program that layers append to: the process's own, or the innermost ProgramGuard's.
RONDO_API Program& default_main_program();
/// The program that sets the parameters' first values; to be run once, before the main program.
RONDO_API Program& default_startup_program();

/// While it lives, layers called by this thread append to the two programs given.
class RONDO_API ProgramGuard {
 public:
  ProgramGuard(Program& main, Program& startup);
  ~ProgramGuard();
  ProgramGuard(const ProgramGuard&) = delete;
  ProgramGuard& operator=(const ProgramGuard&) = delete;

 private:
  Program* previous_main_;
  Program* previous_startup_;
};

}  // namespace rondo::nn::inline v1
