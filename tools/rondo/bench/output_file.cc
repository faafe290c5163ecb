#include "tools/rondo/bench/output_file.h"

#include <fmt/format.h>
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

}  // namespace

OutputFile::OutputFile(std::string flag, std::string path)
    : flag_(std::move(flag)), path_(std::move(path)) {
  std::error_code ignored;
  is_new_ = !std::filesystem::exists(std::filesystem::symlink_status(path_, ignored));
  file_ = std::fopen(path_.c_str(), "ae");
  if (file_ == nullptr) throw cannot_write(flag_, path_, errno);
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  std::error_code ignored;
  if (is_new_) std::filesystem::remove(path_, ignored);
}

void OutputFile::write(std::string_view text) {
  // A terminal or a pipe can't be cut, and needn't be.
  std::error_code ignored;
  const bool holds_text = std::filesystem::is_regular_file(path_, ignored);
  bool written = !holds_text || ftruncate(fileno(file_), 0) == 0;
  written = written && std::fwrite(text.data(), 1, text.size(), file_) == text.size();
  // The last bytes go to the disk here.
  written = std::fclose(std::exchange(file_, nullptr)) == 0 && written;
  if (!written) throw cannot_write(flag_, path_, errno);
  is_new_ = false;
}

}  // namespace rondo::tool
