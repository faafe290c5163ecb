#include "tools/rondo/bench/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "tools/rondo/bench/input_file.h"

namespace rondo::tool {
namespace {

std::runtime_error cannot_write(const std::string& flag, const std::string& path, int errno_value) {
  return std::runtime_error(
      one_line(fmt::format("can't write {} {}: {}", flag, path, std::strerror(errno_value))));
}

bool is_regular(int file) {
  struct stat facts {};
  return fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
}

bool are_same_file(int a, int b) {
  struct stat one {};
  struct stat other {};
  return fstat(a, &one) == 0 && fstat(b, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

}  // namespace

OutputFile::OutputFile(std::string flag, std::string path)
    : flag_(std::move(flag)), path_(std::move(path)) {
  std::error_code ignored;
  is_new_ = !std::filesystem::exists(std::filesystem::symlink_status(path_, ignored));
  file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw cannot_write(flag_, path_, errno);
}

OutputFile::~OutputFile() {
  if (file_ >= 0) close(file_);
  std::error_code ignored;
  if (is_new_) std::filesystem::remove(path_, ignored);
}

bool OutputFile::write_all(std::string_view text, std::size_t offset) {
  const bool is_file = is_regular(file_);
  while (!text.empty()) {
    const ssize_t written =
        is_file ? pwrite(file_, text.data(), text.size(), static_cast<off_t>(offset))
                : ::write(file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::size_t>(written);
  }
  return true;
}

void OutputFile::write(std::string_view text) {
  // A terminal or a pipe can't be cut, and needn't be.
  bool written = !is_regular(file_) || ftruncate(file_, 0) == 0;
  written = written && write_all(text, 0);
  const int why = errno;
  // Some file systems tell only here that there is no room.
  if (close(std::exchange(file_, -1)) != 0) throw cannot_write(flag_, path_, errno);
  if (!written) throw cannot_write(flag_, path_, why);
  is_new_ = false;
}

bool OutputFile::can_grow() const {
  return is_regular(file_) && !are_same_file(file_, STDOUT_FILENO);
}

void OutputFile::put(std::size_t offset, std::string_view text) {
  const auto end = static_cast<off_t>(offset + text.size());
  if (!write_all(text, offset) || ftruncate(file_, end) != 0) {
    throw cannot_write(flag_, path_, errno);
  }
  is_new_ = false;
}

}  // namespace rondo::tool
