#include "nn/data/digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "nn/data/gzip_file.h"

namespace rondo::nn {
namespace {

constexpr std::size_t kSide = 8;
constexpr std::size_t kPixels = kSide * kSide;
constexpr std::int64_t kPixelMax = 16;
constexpr std::int64_t kClasses = 10;
constexpr std::size_t kLimitBytes = 4U << 20U;
constexpr std::size_t kHeldOutEvery = 5;
/// Of a damaged field, as much as an error message can bear.
constexpr std::size_t kShownBytes = 20;

struct Place {
  const std::string& name;
  std::size_t line;
};

Status damaged(const Place& place, const std::string& what) {
  return {ErrorCode::kDataLoss, fmt::format("{}, line {}: {}", place.name, place.line, what)};
}

/// A whole number of 0..max that fills `field`.
Result<std::int64_t> parse_field(std::string_view field, std::int64_t max, const Place& place,
                                 std::size_t column) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(field.begin(), field.end(), value);
  if (error == std::errc() && end == field.end() && value >= 0 && value <= max) return value;
  return damaged(
      place, fmt::format("column {}: a {} of 0..{} expected, found '{}'", column,
                         column > kPixels ? "label" : "pixel", max, field.substr(0, kShownBytes)));
}

Status parse_line(std::string_view line, const Place& place, ImageSet& set) {
  const auto fields = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
  if (fields != kPixels + 1) {
    return damaged(place, fmt::format("{} fields expected (pixels and a label), found {}",
                                      kPixels + 1, fields));
  }
  for (std::size_t column = 1; column <= kPixels; ++column) {
    const std::size_t comma = line.find(',');
    RONDO_ASSIGN(const std::int64_t pixel,
                 parse_field(line.substr(0, comma), kPixelMax, place, column));
    set.pixels.push_back(static_cast<std::uint8_t>(pixel));
    line.remove_prefix(comma + 1);
  }
  RONDO_ASSIGN(const std::int64_t label, parse_field(line, kClasses - 1, place, kPixels + 1));
  set.labels.push_back(label);
  return {};
}

ImageSet empty_set() {
  ImageSet set;
  set.height = kSide;
  set.width = kSide;
  set.classes = kClasses;
  set.pixel_max = static_cast<std::uint8_t>(kPixelMax);
  return set;
}

void append_image(const ImageSet& from, std::size_t index, ImageSet& to) {
  const auto begin = from.pixels.begin() + static_cast<std::ptrdiff_t>(index * kPixels);
  to.pixels.insert(to.pixels.end(), begin, begin + static_cast<std::ptrdiff_t>(kPixels));
  to.labels.push_back(from.labels[index]);
}

}  // namespace

Result<ImageSet> parse_digits(std::string_view text, const std::string& name, std::size_t count) {
  ImageSet set = empty_set();
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    RONDO_TRY(parse_line(text.substr(0, end), {name, line_number}, set));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (set.count() != count) {
    return Status(ErrorCode::kDataLoss,
                  fmt::format("{}: {} images expected, found {}", name, count, set.count()));
  }
  return set;
}

TrainTest hold_out_fifth(const ImageSet& all) {
  auto train = std::make_shared<ImageSet>(empty_set());
  auto held_out = std::make_shared<ImageSet>(empty_set());
  std::vector<std::size_t> seen(kClasses, 0);
  for (std::size_t i = 0; i < all.count(); ++i) {
    const bool hold_out = ++seen[static_cast<std::size_t>(all.labels[i])] % kHeldOutEvery == 0;
    append_image(all, i, hold_out ? *held_out : *train);
  }
  return {std::move(train), std::move(held_out)};
}

Result<TrainTest> read_digits(const std::string& path) {
  RONDO_ASSIGN(const std::string text, read_gzip(path, kLimitBytes));
  RONDO_ASSIGN(const ImageSet all, parse_digits(text, path));
  return hold_out_fifth(all);
}

}  // namespace rondo::nn
