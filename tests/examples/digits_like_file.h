#pragma once

#include <string>

namespace rondo::examples {

/// Writes 1,797 images in the format of digits.csv.gz that can be told apart, but not at once:
/// each class is a pattern of its own under noise. The same file every time.
void write_digits_like_file(const std::string& path);

}  // namespace rondo::examples
