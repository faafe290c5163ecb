#pragma once

// Networks as people write them (docs/networks.md): JSON, speeds in Gbit/s and GB/s.

#include <string>
#include <string_view>

#include "collectives/simulate/network.h"
#include "core/json/reader.h"

namespace rondo::simulate {

/// Ranks that a network may have.
inline constexpr int kMostRanks = 1 << 20;

/// `name` begins messages. What is left out is as in default_network().
/// Errors: InvalidArgument: no JSON, an unknown key, a number out of its range, a switch that isn't
/// there, each with its place.
Result<Network> parse_network(std::string_view text, std::string name);

/// The same where it is part of another file; mistakes are kept in the document.
Network read_network(json::Value root);

/// What parse_network reads as the same network.
std::string to_json(const Network& network);

}  // namespace rondo::simulate
