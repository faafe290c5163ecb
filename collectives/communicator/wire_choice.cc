#include "collectives/communicator/wire_choice.h"

#include <string_view>

namespace rondo::communicator {
namespace {

using kernels::WireFormat;
using schedule::Collective;

/// Its ranks use what they send, unrounded: they would differ.
constexpr std::string_view kOneShot = "one_shot";
/// Its sums are computed on several ranks alike, and would differ where ranks' losses do.
constexpr std::string_view kRecursiveDoubling = "recursive_doubling";

/// Elements, of calls that are so short that a second step takes longer than to send them as they
/// are.
constexpr std::size_t kMostUnencoded = 4096;

bool is_encoded(const transport::Mesh& mesh, int peer) {
  const transport::Endpoint* endpoint = mesh.endpoint(peer);
  return endpoint != nullptr && endpoint->kind() == transport::TransportKind::kTcp;
}

/// Ranks of a host find each other, so a rank without any peer on tcp has all ranks on its host:
/// all ranks give the same answer.
bool any_is_encoded(const transport::Mesh& mesh) {
  for (int peer = 0; peer < mesh.size(); ++peer) {
    if (is_encoded(mesh, peer)) return true;
  }
  return false;
}

bool is_sum(const CallArguments& arguments) {
  const ReduceOp op = arguments.reduction.op();
  return arguments.reduction.kind() != Reduction::Kind::kCustom &&
         (op == ReduceOp::kSum || op == ReduceOp::kAvg);
}

bool suits(const CallArguments& arguments) {
  if (arguments.input.dtype != DataType::kF32) return false;
  switch (arguments.collective) {
    case Collective::kAllReduce:
    case Collective::kReduceScatter: return is_sum(arguments);
    case Collective::kAllGather: return true;
    default: return false;
  }
}

bool has_feedback(const CommunicatorOptions& options, WireFormat format) {
  if (options.error_feedback != "auto") return options.error_feedback == "on";
  return format != WireFormat::kBf16 && format != WireFormat::kF16;
}

}  // namespace

WireChoice::WireChoice(const CommunicatorOptions& options, const transport::Mesh& mesh,
                       Device device)
    : mesh_(mesh) {
  if (!any_is_encoded(mesh)) return;
  format_ = kernels::wire_format_of(options.wire_format).value_or(WireFormat::kNone);
  wants_feedback_ = has_feedback(options, format_);
  // What is staged for a device has the same address for all its buffers.
  feedback_ = wants_feedback_ && device.kind == DeviceKind::kHost;
}

bool WireChoice::is_used(const algorithms::Algorithm& algorithm,
                         const CallArguments& arguments) const {
  return format_ != WireFormat::kNone && suits(arguments) && algorithm.name != kOneShot;
}

bool WireChoice::is_left_out(const algorithms::Algorithm& algorithm,
                             const CallArguments& arguments) const {
  if (format_ == WireFormat::kNone || !suits(arguments) || !wants_feedback_ ||
      !schedule::reduces(arguments.collective))
    return false;
  if (algorithm.name == kRecursiveDoubling) return true;
  return algorithm.name == kOneShot && arguments.input.count > kMostUnencoded;
}

void WireChoice::apply(const algorithms::Algorithm& algorithm, const CallArguments& arguments,
                       execute::PlanInputs& inputs) const {
  if (!is_used(algorithm, arguments)) return;
  inputs.wire_format = format_;
  inputs.encodes = [this](int peer) { return is_encoded(mesh_, peer); };
  if (!feedback_ || !schedule::reduces(arguments.collective)) return;
  inputs.feedback = algorithm.name == kRecursiveDoubling ? execute::Feedback::kContributions
                                                         : execute::Feedback::kAll;
}

}  // namespace rondo::communicator
