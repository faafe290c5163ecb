#include "transport/mesh/process_note.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace rondo::transport {
namespace {

using nlohmann::json;

Status damaged() {
  return Status(ErrorCode::kDataLoss,
                "what a process said when it joined is damaged; do all ranks run the same version "
                "of Rondo?");
}

json json_of(const PlaceNote& place) {
  return {{"kind", place.kind},
          {"device", place.device},
          {"library", place.library},
          {"sees_host_memory", place.sees_host_memory},
          {"unreachable", place.unreachable},
          {"shares_between_processes", place.shares_between_processes},
          {"imports_own", place.imports_own},
          {"reductions", place.reductions.ops()}};
}

/// As many numbers as there are types, of a bit for each op.
Result<device::Reductions> reductions_of(const json& place) {
  const auto list = place.find("reductions");
  if (list == place.end() || !list->is_array()) return damaged();
  device::Reductions::Ops ops{};
  if (list->size() != ops.size()) return damaged();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const json& bits = (*list)[i];
    if (!bits.is_number_unsigned() || bits.get<std::uint64_t>() > UINT8_MAX) return damaged();
    ops[i] = bits.get<std::uint8_t>();
  }
  return device::Reductions(ops);
}

Result<PlaceNote> place_of(const json& object) {
  PlaceNote place;
  for (const auto& [name, text] :
       {std::pair("kind", &place.kind), std::pair("device", &place.device),
        std::pair("library", &place.library)}) {
    if (!object.is_object() || !object.contains(name) || !object[name].is_string())
      return damaged();
    *text = object[name].get<std::string>();
  }
  for (const auto& [name, flag] :
       {std::pair("sees_host_memory", &place.sees_host_memory),
        std::pair("shares_between_processes", &place.shares_between_processes),
        std::pair("imports_own", &place.imports_own)}) {
    if (!object.contains(name) || !object[name].is_boolean()) return damaged();
    *flag = object[name].get<bool>();
  }
  RONDO_ASSIGN(place.reductions, reductions_of(object));
  if (!object.contains("unreachable") || !object["unreachable"].is_array()) return damaged();
  for (const json& device : object["unreachable"]) {
    if (!device.is_string()) return damaged();
    place.unreachable.push_back(device.get<std::string>());
  }
  return place;
}

}  // namespace

std::string encode(const ProcessNote& note) {
  json object{{"cores", note.cores},
              {"options", note.options},
              {"places", json::array()},
              {"job", note.job}};
  for (const PlaceNote& place : note.places) object["places"].push_back(json_of(place));
  // What a user typed may be no UTF-8, which nlohmann would throw at.
  return object.dump(-1, ' ', true, json::error_handler_t::replace);
}

Result<ProcessNote> decode_note(std::string_view text) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || !object.contains("cores") || !object.contains("options"))
    return damaged();
  if (!object["cores"].is_array() || !object["options"].is_object()) return damaged();
  if (!object.contains("places") || !object["places"].is_array()) return damaged();
  if (!object.contains("job") || !object["job"].is_number_unsigned()) return damaged();
  ProcessNote note;
  note.job = object["job"].get<std::uint64_t>();
  for (const json& core : object["cores"]) {
    if (!core.is_number_integer() || core.get<std::int64_t>() < 0) return damaged();
    note.cores.push_back(core.get<int>());
  }
  for (const auto& [name, value] : object["options"].items()) {
    if (!value.is_string()) return damaged();
    note.options[name] = value.get<std::string>();
  }
  for (const json& place : object["places"]) {
    RONDO_ASSIGN(PlaceNote known, place_of(place));
    note.places.push_back(std::move(known));
  }
  return note;
}

Status check_options(const ProcessNote& first, const ProcessNote& theirs, int their_rank) {
  for (const auto& [name, value] : first.options) {
    const auto found = theirs.options.find(name);
    const std::string other = found == theirs.options.end() ? "" : found->second;
    if (other == value) continue;
    return Status(ErrorCode::kMismatch,
                  fmt::format("rank 0 was told {}={}, rank {} {}={}: it must be equal on all ranks",
                              name, value, their_rank, name, other),
                  their_rank);
  }
  return {};
}

}  // namespace rondo::transport
