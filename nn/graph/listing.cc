// The readable listing of a program: one line for each variable, one for each op.

#include <fmt/format.h>

#include <type_traits>

#include "rondo/nn/program.h"

namespace rondo::nn::inline v1 {
namespace {

std::string text_of(const std::vector<std::string>& names) {
  std::string text = "[";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return text + "]";
}

std::string text_of(const Op::Slots& slots) {
  std::string text;
  for (const auto& [slot, names] : slots) {
    text += (text.empty() ? "" : ", ") + slot + ": " + text_of(names);
  }
  return text;
}

std::string text_of(const Attribute& attribute) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
        if constexpr (std::is_same_v<T, std::int64_t>) return std::to_string(value);
        if constexpr (std::is_same_v<T, double>) return fmt::format("{}", value);
        if constexpr (std::is_same_v<T, std::string>) return value;
        if constexpr (std::is_same_v<T, Dims>) return to_string(value);
      },
      attribute);
}

std::string text_of(const VarDesc& var) {
  std::string text =
      "  var " + var.name + ": " + rondo::to_string(var.dtype) + " " + to_string(var.dims);
  if (var.lod_level > 0) text += ", lod level " + std::to_string(var.lod_level);
  if (var.parameter) text += var.trainable ? ", parameter" : ", parameter (frozen)";
  if (var.persistable && !var.parameter) text += ", persistable";
  if (var.stop_gradient) text += ", stop gradient";
  return text + "\n";
}

}  // namespace

std::string Op::to_string() const {
  const std::string text = fmt::format("{{{}}} = {}({})", text_of(outputs), type, text_of(inputs));
  std::string options;
  for (const auto& [name, value] : attributes) {
    options += (options.empty() ? "" : ", ") + name + ": " + text_of(value);
  }
  return options.empty() ? text : text + " {" + options + "}";
}

std::string Program::to_string() const {
  std::string text;
  for (const auto& each : blocks_) {
    text += "block " + std::to_string(each->index());
    if (each->parent_index() >= 0) text += " in block " + std::to_string(each->parent_index());
    text += "\n";
    for (const auto& desc : each->var_descs()) text += text_of(*desc);
    for (const Op& op : each->ops()) text += "  " + op.to_string() + "\n";
  }
  return text;
}

}  // namespace rondo::nn::inline v1
