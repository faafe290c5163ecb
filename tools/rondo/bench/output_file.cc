#include "tools/rondo/bench/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tools/rondo/bench/input_file.h"

namespace rondo::tool {
namespace {

bool is_pipe(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_fifo(path, ignored);
}

std::runtime_error cannot_write(const std::string& flag, const std::string& path, int errno_value) {
  const bool is_unread = errno_value == ENXIO && is_pipe(path);
  const char* const why = is_unread ? "nobody reads this pipe" : std::strerror(errno_value);
  return std::runtime_error(one_line(fmt::format("can't write {} {}: {}", flag, path, why)));
}

/// A script may start a pipe's reader at the same time, and another one not at all.
trace::OutputInPlace open_for_reader(const std::string& path) {
  constexpr std::chrono::seconds kLongest(2);
  constexpr std::chrono::milliseconds kPause(10);
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (true) {
    trace::OutputInPlace output = trace::open_in_place(path);
    const bool may_come = output.error == ENXIO && is_pipe(path);
    if (!may_come || std::chrono::steady_clock::now() >= end) return output;
    std::this_thread::sleep_for(kPause);
  }
}

/// What links lead to, which may not be there yet.
std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as the system follows
  std::error_code ignored;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, ignored); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, ignored);
  return path;
}

/// Whether a file can be made there, which is gone again: 0, or errno. Somebody else's stays.
int try_to_make(const std::filesystem::path& path) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.valid()) return errno == EEXIST ? 0 : errno;
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return 0;
}

}  // namespace

OutputFile::OutputFile(std::string flag, std::string path)
    : flag_(std::move(flag)), path_(std::move(path)) {
  in_place_ = open_for_reader(path_);
  if (in_place_.error != 0) throw cannot_write(flag_, path_, in_place_.error);
  if (in_place_.is_one) return;
  file_.reset(open(path_.c_str(), O_WRONLY | O_CLOEXEC));
  if (file_.valid()) return;
  if (errno != ENOENT) throw cannot_write(flag_, path_, errno);
  target_ = behind_links(path_);
  if (const int error = try_to_make(target_); error != 0) throw cannot_write(flag_, path_, error);
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (is_own_) std::filesystem::remove(target_, ignored);
}

/// One that wasn't there may have been made by somebody else meanwhile: then it is theirs.
void OutputFile::open_now() {
  if (file_.valid()) return;
  file_.reset(open(target_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  is_own_ = file_.valid();
  if (!is_own_ && errno == EEXIST) file_.reset(open(target_.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file_.valid()) throw cannot_write(flag_, path_, errno);
}

bool OutputFile::check(const std::string& flag, const std::string& path) {
  if (is_pipe(path)) return false;
  const OutputFile checked(flag, path);
  return checked.in_place_.stream == stdout;
}

bool OutputFile::write_all(std::string_view text, std::size_t offset) {
  while (!text.empty()) {
    const ssize_t written =
        pwrite(file_.get(), text.data(), text.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::size_t>(written);
  }
  return true;
}

void OutputFile::write(std::string_view text) {
  if (!in_place_.is_one) return replace(text);
  const int error = trace::write_in_place(in_place_, text);
  in_place_.file.reset();
  if (error != 0) throw cannot_write(flag_, path_, error);
}

void OutputFile::replace(std::string_view text) {
  open_now();
  const bool written = ftruncate(file_.get(), 0) == 0 && write_all(text, 0);
  const int why = errno;
  // Some file systems tell only here that there is no room.
  if (close(file_.release()) != 0) throw cannot_write(flag_, path_, errno);
  if (!written) throw cannot_write(flag_, path_, why);
  is_own_ = false;
}

bool OutputFile::begin(std::string_view text) {
  open_now();
  struct stat file {};
  if (fstat(file_.get(), &file) != 0 || file.st_size > 0) return false;
  if (!write_all(text, 0)) throw cannot_write(flag_, path_, errno);
  return true;
}

void OutputFile::put(std::size_t offset, std::string_view text) {
  open_now();
  const auto end = static_cast<off_t>(offset + text.size());
  if (!write_all(text, offset) || ftruncate(file_.get(), end) != 0) {
    throw cannot_write(flag_, path_, errno);
  }
  is_own_ = false;
}

}  // namespace rondo::tool
