#pragma once

// Where one place's transports listen, as text for the store. Pure.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::transport {

/// Empty where the place has no transport of a kind.
class PlaceAddresses {
 public:
  const std::string& of(TransportKind kind) const { return texts_[static_cast<std::size_t>(kind)]; }
  void set(TransportKind kind, std::string text) {
    texts_[static_cast<std::size_t>(kind)] = std::move(text);
  }

 private:
  std::array<std::string, 3> texts_;
};

/// A JSON array, a place an entry. Addresses are printable text.
std::string encode(std::span<const PlaceAddresses> places);
/// Errors: DataLoss for text that encode didn't make.
Result<std::vector<PlaceAddresses>> decode(std::string_view text);

}  // namespace rondo::transport
