#include "core/one_line.h"

#include <algorithm>
#include <utility>

namespace rondo {

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

}  // namespace rondo
