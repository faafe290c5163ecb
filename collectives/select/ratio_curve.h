#pragma once

// Ratios that are known at a few sizes, and between them. Pure.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace rondo::select {

/// At `bytes`, of points by ascending bytes that have a ratio each: between two by the logarithms
/// of both, beyond them as at the nearest; 1 where there are none.
template <class Point, class RatioOf>
double ratio_between(const std::vector<Point>& points, std::size_t bytes, const RatioOf& ratio_of) {
  if (points.empty()) return 1;
  const auto high = std::ranges::lower_bound(points, bytes, {}, &Point::bytes);
  if (high == points.begin()) return ratio_of(points.front());
  if (high == points.end()) return ratio_of(points.back());
  if (high->bytes == bytes) return ratio_of(*high);
  const Point& low = *(high - 1);
  const auto log_of = [](std::size_t size) {
    return std::log(static_cast<double>(std::max<std::size_t>(size, 1)));
  };
  const double part =
      (log_of(bytes) - log_of(low.bytes)) / (log_of(high->bytes) - log_of(low.bytes));
  return std::exp(std::log(ratio_of(low)) * (1 - part) + std::log(ratio_of(*high)) * part);
}

}  // namespace rondo::select
