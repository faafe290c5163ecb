#pragma once

// A peer that a test acts: what no test of the kind looks at does nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

class ActedEndpoint : public transport::Endpoint {
 public:
  void begin(const transport::Call&, const std::array<std::span<std::byte>, 2>&) override {}
  const std::byte* view(transport::Token) override { return nullptr; }
  void release(transport::Token) override {}
  std::byte* peer_store(transport::StoreRegion, std::size_t, std::size_t) override {
    return nullptr;
  }
  Status announce_call() override { return {}; }
  std::optional<transport::Fingerprint> peer_call(std::uint64_t) override { return {}; }
  void abort(const Status&) override {}
  transport::Traffic traffic() const override { return {}; }
};

}  // namespace rondo::execute
