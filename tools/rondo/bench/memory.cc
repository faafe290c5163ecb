#include "tools/rondo/bench/memory.h"

#include <algorithm>
#include <limits>
#include <string>

#include "rondo/error.h"

namespace rondo::tool {
namespace {

/// What the host writes of a device's memory, as far as whole periods fit.
constexpr std::size_t kWrittenBytes = std::size_t{64} << 10;
constexpr std::size_t kPageBytes = 4096;

Error no_memory(std::size_t bytes) {
  return {ErrorCode::kSystem, "no memory for a buffer of " + std::to_string(bytes) +
                                  " bytes; lower -e, or use fewer ranks on this machine"};
}

/// One page at least. Errors: Error: more than there are addresses.
std::size_t whole_pages(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - kPageBytes) throw no_memory(bytes);
  return (std::max<std::size_t>(bytes, 1) + kPageBytes - 1) & ~(kPageBytes - 1);
}

}  // namespace

BenchMemory::BenchMemory(std::size_t bytes, bool registered, Device device) : device_(device) {
  const std::size_t whole = whole_pages(bytes);
  if (device.kind != DeviceKind::kHost) {
    on_device_.emplace(device, whole);
    stream_.emplace(device);
    data_ = static_cast<std::byte*>(on_device_->data());
  } else if (registered) {
    registered_.emplace(whole);
    data_ = on_host_ = static_cast<std::byte*>(registered_->data());
    return;
  }
  ordinary_.reset(std::aligned_alloc(kPageBytes, whole));
  if (ordinary_ == nullptr) throw no_memory(whole);
  on_host_ = static_cast<std::byte*>(ordinary_.get());
  if (data_ == nullptr) data_ = on_host_;
}

std::size_t BenchMemory::written_of(std::size_t bytes, std::size_t period) const {
  if (!stream_) return bytes;
  const std::size_t periods = std::max<std::size_t>(kWrittenBytes / period, 1);
  return std::min(bytes, periods * period);
}

void BenchMemory::upload(std::size_t first, std::size_t bytes, std::size_t period) const {
  if (!stream_ || bytes == 0) return;
  Stream stream = *stream_;
  std::byte* const target = data_ + first;
  std::size_t there = written_of(bytes, period);
  stream.copy(target, on_host_ + first, there);
  while (there < bytes) {
    const std::size_t more = std::min(there, bytes - there);
    stream.copy(target + there, target, more);
    there += more;
  }
  stream.synchronize();
}

void BenchMemory::download(std::size_t first, std::size_t bytes) const {
  if (!stream_) return;
  Stream stream = *stream_;
  stream.copy(on_host_ + first, data_ + first, bytes);
  stream.synchronize();
}

}  // namespace rondo::tool
