#include "transport/mesh/place_addresses.h"

#include <nlohmann/json.hpp>

namespace rondo::transport {
namespace {

constexpr TransportKind kKinds[] = {TransportKind::kInproc, TransportKind::kShm,
                                    TransportKind::kTcp};

Status damaged() {
  return Status(ErrorCode::kDataLoss,
                "a process's addresses in the rendezvous store are damaged; do all ranks run the "
                "same version of Rondo?");
}

}  // namespace

std::string encode(std::span<const PlaceAddresses> places) {
  nlohmann::json list = nlohmann::json::array();
  for (const PlaceAddresses& place : places) {
    nlohmann::json entry = nlohmann::json::object();
    for (const TransportKind kind : kKinds) entry[to_string(kind)] = place.of(kind);
    list.push_back(std::move(entry));
  }
  return list.dump();
}

Result<std::vector<PlaceAddresses>> decode(std::string_view text) {
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) return damaged();
  std::vector<PlaceAddresses> places;
  for (const nlohmann::json& entry : list) {
    PlaceAddresses place;
    for (const TransportKind kind : kKinds) {
      const auto field = entry.is_object() ? entry.find(to_string(kind)) : entry.end();
      if (field == entry.end() || !field->is_string()) return damaged();
      place.set(kind, field->get<std::string>());
    }
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace rondo::transport
