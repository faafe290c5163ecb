#include "core/trace/write_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "core/random_bits.h"
#include "core/trace/output_in_place.h"

namespace rondo::trace {
namespace {

bool write_all(std::FILE* file, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  const bool closed = std::fclose(file) == 0;  // the last bytes go to the disk here
  if (!written) errno = error;
  return written && closed;
}

/// The name behind all links, which stay and may lead to what is not there yet.
std::string behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as the system follows
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  return path;
}

/// A name that is taken is tried no second time, so that any number does.
std::uint32_t any_bits() {
  try {
    return static_cast<std::uint32_t>(random_bits());
  } catch (const std::system_error&) {  // a sandbox has none
    return static_cast<std::uint32_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
}

/// A new file beside `path`, its name in `beside`: nobody else's, though processes in containers
/// have the same id, and threads may write the same path. Null, with errno set: there is none.
std::FILE* open_beside(const std::string& path, std::string& beside) {
  constexpr int kMostTries = 100;
  std::FILE* file = nullptr;
  for (int i = 0; i < kMostTries; ++i) {
    beside = fmt::format("{}.{:08x}.part", path, any_bits());
    file = std::fopen(beside.c_str(), "wxe");
    if (file != nullptr || errno != EEXIST) break;
  }
  return file;
}

int replace(const std::string& path, std::string_view text) {
  std::string beside;
  std::FILE* const file = open_beside(path, beside);
  if (file == nullptr) return errno;
  if (write_all(file, text) && std::rename(beside.c_str(), path.c_str()) == 0) return 0;
  const int error = errno;
  unlink(beside.c_str());
  return error;
}

int write_where_it_goes(const std::string& path, std::string_view text) {
  const OutputInPlace output = open_in_place(path);
  if (output.error != 0) return output.error;
  return output.is_one ? write_in_place(output, text) : replace(behind_links(path), text);
}

}  // namespace

Status write_file(const std::string& path, std::string_view text) {
  const int error = write_where_it_goes(path, text);
  if (error == 0) return {};
  return system_error(fmt::format("can't write {}", path), error);
}

}  // namespace rondo::trace
