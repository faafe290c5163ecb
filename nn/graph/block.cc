// Block and Var: ops in order, variables by name. Descriptions have stable addresses, which is
// what lets a Var be a plain handle. Every change raises the revision.

#include <utility>

#include "rondo/error.h"
#include "rondo/nn/program.h"

namespace rondo::nn::inline v1 {

Block::Block(int index, Block* parent) : index_(index), parent_(parent) {}

Var Block::create_var(VarDesc desc) {
  if (desc.name.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "a variable needs a name");
  }
  if (by_name_.count(desc.name) != 0) {
    throw Error(ErrorCode::kInvalidArgument,
                "variable '" + desc.name + "' exists already in block " + std::to_string(index_) +
                    "; give the layer another name");
  }
  if (desc.parameter) desc.persistable = true;
  ++revision_;
  descs_.push_back(std::make_unique<VarDesc>(std::move(desc)));
  VarDesc* created = descs_.back().get();
  by_name_.emplace(created->name, created);
  return {this, created};
}

Var Block::find_var(const std::string& name) {
  for (Block* block = this; block != nullptr; block = block->parent_) {
    if (const auto found = block->by_name_.find(name); found != block->by_name_.end()) {
      return {block, found->second};
    }
  }
  return {};
}

const VarDesc* Block::find_desc(const std::string& name) const {
  for (const Block* block = this; block != nullptr; block = block->parent_) {
    if (const auto found = block->by_name_.find(name); found != block->by_name_.end()) {
      return found->second;
    }
  }
  return nullptr;
}

Var Block::var(const std::string& name) {
  const Var found = find_var(name);
  if (!found) {
    throw Error(ErrorCode::kInvalidArgument,
                "the program has no variable '" + name + "' in block " + std::to_string(index_));
  }
  return found;
}

std::vector<Var> Block::vars() {
  std::vector<Var> all;
  all.reserve(descs_.size());
  for (const auto& desc : descs_) all.push_back(Var(this, desc.get()));
  return all;
}

std::vector<Op>& Block::mutable_ops() {
  ++revision_;
  return ops_;
}

void Block::append_op(Op op) {
  ++revision_;
  ops_.push_back(std::move(op));
}

void Var::set_persistable(bool persistable) {
  desc_->persistable = persistable;
  ++block_->revision_;
}

void Var::set_stop_gradient(bool stop_gradient) {
  desc_->stop_gradient = stop_gradient;
  ++block_->revision_;
}

}  // namespace rondo::nn::inline v1
