#include "core/trace/write_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace rondo::trace {
namespace {

bool write_all(std::FILE* file, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  const bool closed = std::fclose(file) == 0;  // the last bytes go to the disk here
  if (!written) errno = error;
  return written && closed;
}

/// What is written has to go where it is already open: this program's own output, by its name in
/// /dev or by that of the file that a shell has led it to.
bool is_own_output(const struct stat& file) {
  return std::ranges::any_of(std::array{STDOUT_FILENO, STDERR_FILENO}, [&](int open) {
    struct stat own {};
    return fstat(open, &own) == 0 && own.st_dev == file.st_dev && own.st_ino == file.st_ino;
  });
}

/// A device, a pipe or a socket must not become a file.
bool can_be_replaced(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return true;
  return (S_ISREG(file.st_mode) || S_ISDIR(file.st_mode)) && !is_own_output(file);
}

/// The name behind all links, which stay and may lead to what is not there yet.
std::string behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as the system follows
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  return path;
}

int replace(const std::string& path, std::string_view text) {
  const std::string beside = fmt::format("{}.{}.part", path, getpid());
  std::FILE* const file = std::fopen(beside.c_str(), "we");
  if (file == nullptr) return errno;
  if (write_all(file, text) && std::rename(beside.c_str(), path.c_str()) == 0) return 0;
  const int error = errno;
  unlink(beside.c_str());
  return error;
}

int append_in_place(const std::string& path, std::string_view text) {
  std::FILE* const file = std::fopen(path.c_str(), "ae");
  if (file == nullptr) return errno;
  return write_all(file, text) ? 0 : errno;
}

}  // namespace

Status write_file(const std::string& path, std::string_view text) {
  const int error =
      can_be_replaced(path) ? replace(behind_links(path), text) : append_in_place(path, text);
  if (error == 0) return {};
  return system_error(fmt::format("can't write {}", path), error);
}

}  // namespace rondo::trace
