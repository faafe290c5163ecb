#pragma once

// The 8 x 8 handwritten digits: one line of 64 pixels 0..16 and a label 0..9, comma-separated.

#include <cstddef>
#include <string>
#include <string_view>

#include "core/status.h"
#include "rondo/nn/data.h"

namespace rondo::nn {

inline constexpr std::size_t kDigitsCount = 1797;

/// Parses the inflated text; `name` is the file's name, for errors.
/// Errors: DataLoss (line and column, expected and found; a count of lines other than `count`).
Result<ImageSet> parse_digits(std::string_view text, const std::string& name,
                              std::size_t count = kDigitsCount);

/// Of each class, in order, the fifth, tenth, ... image is held out.
TrainTest hold_out_fifth(const ImageSet& all);

/// load_digits, without exceptions.
Result<TrainTest> read_digits(const std::string& path);

}  // namespace rondo::nn
