#include "collectives/kernels/wire_format.h"

#include <algorithm>
#include <array>

#include "collectives/kernels/wire_codecs.h"

namespace rondo::kernels {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"none",   "bf16",   "f16",
                                                    "f8e4m3", "f8e5m2", "int8"};

}  // namespace

std::span<const std::string_view> wire_format_names() { return kNames; }

std::string_view to_string(WireFormat format) { return kNames[static_cast<std::size_t>(format)]; }

std::optional<WireFormat> wire_format_of(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<WireFormat>(found - kNames.begin());
}

std::size_t wire_bytes(WireFormat format, std::size_t count) {
  switch (format) {
    case WireFormat::kNone: return count * sizeof(float);
    case WireFormat::kBf16:
    case WireFormat::kF16: return count * 2;
    case WireFormat::kF8E4M3:
    case WireFormat::kF8E5M2:
    case WireFormat::kInt8: break;
  }
  return count + (count + kWireBlock - 1) / kWireBlock;
}

WireCodec wire_codec(WireFormat format) {
  switch (format) {
    case WireFormat::kNone: break;
    case WireFormat::kBf16: return bf16_codec();
    case WireFormat::kF16: return f16_codec();
    case WireFormat::kF8E4M3: return f8e4m3_codec();
    case WireFormat::kF8E5M2: return f8e5m2_codec();
    case WireFormat::kInt8: return int8_codec();
  }
  return {};
}

}  // namespace rondo::kernels
