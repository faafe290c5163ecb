#include "collectives/execute/device/exchange.h"

namespace rondo::execute {

using transport::Transfer;
using transport::TransferKind;

Status Exchange::hear(transport::Endpoint& endpoint, void* bytes, std::size_t count) {
  const Transfer transfer{
      .kind = TransferKind::kRecv, .data = static_cast<std::byte*>(bytes), .bytes = count};
  RONDO_ASSIGN(hear_, endpoint.post({&transfer, 1}));
  return {};
}

Status Exchange::tell(transport::Endpoint& endpoint, const void* bytes, std::size_t count) {
  // Nothing is written through it: a send only reads.
  auto* const data = static_cast<std::byte*>(const_cast<void*>(bytes));
  const Transfer transfer{.kind = TransferKind::kSend, .data = data, .bytes = count};
  RONDO_ASSIGN(tell_, endpoint.post({&transfer, 1}));
  return {};
}

Result<bool> Exchange::poll(transport::Endpoint& endpoint) {
  const bool told = told_;
  const bool heard = heard_;
  if (!told && tell_ != 0) {
    RONDO_ASSIGN(told_, endpoint.poll(tell_));
  }
  if (!heard && hear_ != 0) {
    RONDO_ASSIGN(heard_, endpoint.poll(hear_));
  }
  return told != told_ || heard != heard_;
}

}  // namespace rondo::execute
