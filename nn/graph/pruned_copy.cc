#include "nn/graph/pruned_copy.h"

#include <set>

namespace rondo::nn {
namespace {

void collect(const Op::Slots& slots, std::set<std::string>& names) {
  for (const auto& [slot, vars] : slots) names.insert(vars.begin(), vars.end());
}

// What no op touches (a fed variable that isn't read yet) belongs to the forward part.
std::set<std::string> only_in_training(const Block& block) {
  std::set<std::string> forward;
  std::set<std::string> training;
  for (const Op& op : block.ops()) {
    auto& names = op.role == OpRole::kForward ? forward : training;
    collect(op.inputs, names);
    collect(op.outputs, names);
  }
  for (const std::string& name : forward) training.erase(name);
  return training;
}

}  // namespace

void copy_block(const Block& source, bool for_test, Block& target) {
  const auto dropped = for_test ? only_in_training(source) : std::set<std::string>();
  for (const auto& desc : source.var_descs()) {
    if (desc->persistable || dropped.count(desc->name) == 0) target.create_var(*desc);
  }
  for (const Op& op : source.ops()) {
    if (for_test && op.role != OpRole::kForward) continue;
    Op copy = op;
    if (const auto test = copy.attributes.find("is_test");
        for_test && test != copy.attributes.end()) {
      test->second = true;
    }
    target.append_op(std::move(copy));
  }
}

}  // namespace rondo::nn
