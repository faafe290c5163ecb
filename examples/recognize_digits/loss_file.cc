#include "examples/recognize_digits/loss_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace rondo::examples {

LossFile::LossFile(const std::string& name) {
  if (name.empty()) return;
  file_.open(name);
  if (!file_) {
    throw std::runtime_error(fmt::format("can't write {}: {}", name, std::strerror(errno)));
  }
}

void LossFile::write(double loss) {
  if (file_.is_open()) file_ << fmt::format("{:.17g}\n", loss);
}

}  // namespace rondo::examples
