#include "examples/recognize_digits/loss_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace rondo::examples {
namespace {

std::runtime_error cannot_write(const std::string& name, int errno_value) {
  return std::runtime_error(fmt::format("can't write {}: {}", name, std::strerror(errno_value)));
}

}  // namespace

LossFile::LossFile(const std::string& name) : name_(name) {
  if (name.empty()) return;
  file_.open(name);
  if (!file_) throw cannot_write(name, errno);
}

void LossFile::write(double loss) {
  if (!file_.is_open() || failure_ != 0) return;
  file_ << fmt::format("{:.17g}\n", loss) << std::flush;
  if (!file_) failure_ = errno;
}

void LossFile::close() {
  if (!file_.is_open()) return;
  file_.close();
  if (!file_ && failure_ == 0) failure_ = errno;
  if (failure_ != 0) throw cannot_write(name_, failure_);
}

}  // namespace rondo::examples
