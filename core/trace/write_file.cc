#include "core/trace/write_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace rondo::trace {
namespace {

bool write_all(std::FILE* file, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  const bool closed = std::fclose(file) == 0;  // the last bytes go to the disk here
  if (!written) errno = error;
  return written && closed;
}

}  // namespace

Status write_file(const std::string& path, std::string_view text) {
  const std::string beside = fmt::format("{}.{}.part", path, getpid());
  std::FILE* const file = std::fopen(beside.c_str(), "we");
  if (file == nullptr) return system_error(fmt::format("can't write {}", path), errno);
  if (write_all(file, text) && std::rename(beside.c_str(), path.c_str()) == 0) return {};
  const int error = errno;
  unlink(beside.c_str());
  return system_error(fmt::format("can't write {}", path), error);
}

}  // namespace rondo::trace
