#include "nn/parallel/check_run.h"

#include "nn/executor/bind.h"
#include "nn/parallel/feed_split.h"

namespace rondo::nn {
namespace {

Status unknown(const char* use, const std::string& name) {
  return Status(ErrorCode::kInvalidArgument,
                std::string(use) + " '" + name + "': the program has no such variable");
}

Status check_fetch(const VarDesc& desc, FetchMode mode) {
  const bool floats = desc.dtype == DataType::kF32 || desc.dtype == DataType::kF64;
  if (mode != FetchMode::kMean || floats) return {};
  return Status(ErrorCode::kInvalidArgument, "variable '" + desc.name + "' is " +
                                                 rondo::to_string(desc.dtype) +
                                                 ": only floating-point values have a mean");
}

}  // namespace

Status check_run(const Block& block, const Feed& feed, const std::vector<VarName>& fetch,
                 FetchMode mode) {
  for (const auto& [name, tensor] : feed) {
    const VarDesc* desc = block.find_desc(name);
    if (desc == nullptr) return unknown("feed", name);
    RONDO_TRY(check_fed(*desc, tensor));
  }
  for (const VarName& name : fetch) {
    const VarDesc* desc = block.find_desc(name.text);
    if (desc == nullptr) return unknown("fetch", name.text);
    RONDO_TRY(check_fetch(*desc, mode));
  }
  return samples_in(block, feed).status();
}

}  // namespace rondo::nn
