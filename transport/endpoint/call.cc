#include "transport/endpoint/call.h"

#include <fmt/format.h>

#include <atomic>

#include "transport/endpoint/endpoint.h"

namespace rondo::transport {
namespace {

std::string numbers_of(const Fingerprint& f) {
  return fmt::format("call(kind={}, count={}, type={}, op={}, root={})", f.collective, f.count,
                     f.dtype, f.redop, f.root);
}

std::atomic<FingerprintPrinter> printer = &numbers_of;

}  // namespace

void set_fingerprint_printer(FingerprintPrinter new_printer) { printer = new_printer; }

std::string to_string(const Fingerprint& fingerprint) { return printer.load()(fingerprint); }

const char* to_string(TransportKind kind) {
  switch (kind) {
    case TransportKind::kInproc: return "inproc";
    case TransportKind::kShm: return "shm";
    case TransportKind::kTcp: return "tcp";
  }
  return "unknown";
}

}  // namespace rondo::transport
