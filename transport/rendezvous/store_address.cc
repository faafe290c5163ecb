#include "transport/rendezvous/store_address.h"

#include <charconv>

namespace rondo::rendezvous {

Result<StoreAddress> parse_address(const std::string& text) {
  const auto colon = text.rfind(':');
  StoreAddress address{.host = text.substr(0, colon)};
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  } else if (address.host.find(':') != std::string::npos) {
    address.host.clear();  // an IPv6 address without brackets: which colon is the port's?
  }
  if (colon != std::string::npos && !address.host.empty()) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, address.port);
    if (error == std::errc{} && stop == end && address.port != 0) return address;
  }
  return Status(ErrorCode::kInvalidArgument,
                "'" + text + "' is no address of a store: expected host:port, such as " +
                    "192.0.2.1:29500 or [2001:db8::1]:29500");
}

std::string to_string(const StoreAddress& address) {
  const bool brackets = address.host.find(':') != std::string::npos;
  return (brackets ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace rondo::rendezvous
