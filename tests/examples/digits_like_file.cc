#include "tests/examples/digits_like_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

#include "tests/nn/data/data_files.h"

namespace rondo::examples {

void write_digits_like_file(const std::string& path) {
  std::mt19937 random(20'240'501);
  std::array<std::array<std::int32_t, 64>, 10> patterns{};
  for (auto& pattern : patterns) {
    for (auto& pixel : pattern) pixel = static_cast<std::int32_t>(random() % 17);
  }
  std::string text;
  for (std::size_t image = 0; image < 1797; ++image) {
    const std::size_t label = image * 7 % 10;
    for (const std::int32_t pixel : patterns[label]) {
      const auto noise = static_cast<std::int32_t>(random() % 21) - 10;
      text += std::to_string(std::clamp(pixel + noise, 0, 16)) + ",";
    }
    text += std::to_string(label) + "\n";
  }
  nn::write_gzip(path, text);
}

}  // namespace rondo::examples
