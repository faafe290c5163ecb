#include "transport/rendezvous/byte_fields.h"

namespace rondo::rendezvous {

FieldWriter& FieldWriter::text(std::string_view value) {
  number(static_cast<std::uint32_t>(value.size()));
  bytes_.append(value);
  return *this;
}

std::string FieldReader::text(std::size_t max_bytes) {
  const auto bytes = number<std::uint32_t>();
  if (bytes > max_bytes) ok_ = false;
  return std::string(take(bytes));
}

std::string_view FieldReader::take(std::size_t bytes) {
  if (!ok_ || bytes > rest_.size()) {
    ok_ = false;
    return {};
  }
  const std::string_view taken = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return taken;
}

}  // namespace rondo::rendezvous
