#include "tools/rondo/bench/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
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

}  // namespace

OutputFile::OutputFile(std::string flag, std::string path)
    : flag_(std::move(flag)), path_(std::move(path)) {
  std::error_code ignored;
  is_new_ = !std::filesystem::exists(std::filesystem::symlink_status(path_, ignored));
  in_place_ = open_for_reader(path_);
  if (in_place_.error != 0) throw cannot_write(flag_, path_, in_place_.error);
  if (in_place_.is_one) return;
  file_.reset(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!file_.valid()) throw cannot_write(flag_, path_, errno);
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (is_new_) std::filesystem::remove(path_, ignored);
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
  const bool written = ftruncate(file_.get(), 0) == 0 && write_all(text, 0);
  const int why = errno;
  // Some file systems tell only here that there is no room.
  if (close(file_.release()) != 0) throw cannot_write(flag_, path_, errno);
  if (!written) throw cannot_write(flag_, path_, why);
  is_new_ = false;
}

void OutputFile::put(std::size_t offset, std::string_view text) {
  const auto end = static_cast<off_t>(offset + text.size());
  if (!write_all(text, offset) || ftruncate(file_.get(), end) != 0) {
    throw cannot_write(flag_, path_, errno);
  }
  is_new_ = false;
}

}  // namespace rondo::tool
