// Program: its blocks, its counters for names, and copies of itself.

#include "rondo/nn/program.h"

#include <atomic>
#include <utility>

#include "nn/graph/pruned_copy.h"

namespace rondo::nn::inline v1 {
namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

Program::Program() : id_(next_id()) { blocks_.push_back(std::make_unique<Block>(0, nullptr)); }

Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

Block& Program::create_block(int parent) {
  blocks_.push_back(std::make_unique<Block>(block_count(), &block(parent)));
  return *blocks_.back();
}

std::vector<Var> Program::parameters() {
  std::vector<Var> found;
  for (const Var& var : global_block().vars()) {
    if (var.is_parameter()) found.push_back(var);
  }
  return found;
}

std::string Program::unique_name(const std::string& key) {
  return key + "_" + std::to_string(name_counts_[key]++);
}

Program Program::clone(bool for_test) const {
  Program copy;
  copy.random_seed_ = random_seed_;
  copy.name_counts_ = name_counts_;
  for (int i = 0; i < block_count(); ++i) {
    Block& target = i == 0 ? copy.global_block() : copy.create_block(block(i).parent_index());
    copy_block(block(i), for_test, target);
  }
  return copy;
}

std::uint64_t Program::revision() const {
  std::uint64_t total = 0;
  for (const auto& each : blocks_) total += each->revision();
  return total;
}

}  // namespace rondo::nn::inline v1
