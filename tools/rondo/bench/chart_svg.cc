#include "tools/rondo/bench/chart_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/svg.h"

namespace rondo::tool {
namespace {

constexpr double kWidth = 860;
constexpr double kLeft = 80;
constexpr double kTop = 44;
constexpr double kPlotWidth = 740;
constexpr double kPlotHeight = 400;
constexpr double kBottom = kTop + kPlotHeight;
constexpr double kLegendTop = kBottom + 70;
constexpr double kLegendRow = 20;

/// Colours that the colour-blind tell apart (Okabe and Ito).
constexpr std::array<std::string_view, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#e69f00", "#56b4e9", "#000000", "#8c6d31"};

struct Range {
  double low = std::numeric_limits<double>::max();
  double high = 0;

  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// 1, 2, 5, 10, 20, ... from the last that is not above the range to the first that is not below.
/// Over many decades their texts have room for powers of ten alone.
std::vector<double> bandwidth_ticks(const Range& range) {
  constexpr double kWide = 1e5;
  const bool wide = range.high / range.low > kWide;
  std::vector<double> ticks;
  for (double decade = std::pow(10, std::floor(std::log10(range.low)));; decade *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (wide && step > 1) continue;
      const double tick = step * decade;
      if (tick <= range.low) ticks.clear();
      ticks.push_back(tick);
      if (tick >= range.high && ticks.size() > 1) return ticks;
    }
  }
}

/// Powers of two, so many of them that their texts have room.
std::vector<double> size_ticks(const Range& range) {
  constexpr int kMostTicks = 13;
  const int first = static_cast<int>(std::floor(std::log2(range.low)));
  const int last = std::max(static_cast<int>(std::ceil(std::log2(range.high))), first + 1);
  const int step = (last - first) / kMostTicks + 1;
  std::vector<double> ticks;
  for (int power = first; power < last + step; power += step) ticks.push_back(std::exp2(power));
  return ticks;
}

/// Where values are drawn.
class Scale {
 public:
  Scale(const std::vector<double>& sizes, const std::vector<double>& bandwidths)
      : left_(std::log(sizes.front())),
        width_(std::log(sizes.back()) - left_),
        bottom_(std::log(bandwidths.front())),
        height_(std::log(bandwidths.back()) - bottom_) {}

  double x(double bytes) const { return kLeft + (std::log(bytes) - left_) / width_ * kPlotWidth; }
  double y(double gbps) const {
    return kTop + kPlotHeight - (std::log(gbps) - bottom_) / height_ * kPlotHeight;
  }

 private:
  double left_, width_, bottom_, height_;
};

/// Colour and, once they have all been used, dashes.
Svg::Stroke stroke_of(std::size_t index, bool is_bound) {
  if (is_bound) return {.color = "#555555", .width = 2, .dashes = "8 5"};
  return {.color = kColours.at(index % kColours.size()),
          .width = 2,
          .dashes = index < kColours.size() ? "" : "3 3"};
}

class Chart {
 public:
  Chart(std::size_t lines, const std::vector<double>& sizes, const std::vector<double>& bandwidths)
      : svg_(kWidth, kLegendTop + static_cast<double>(lines + 1) * kLegendRow),
        scale_(sizes, bandwidths) {
    for (const double bytes : sizes) size_mark(bytes);
    for (const double gbps : bandwidths) bandwidth_mark(gbps);
    svg_.text({kLeft + kPlotWidth / 2, kBottom + 42}, "size", {.anchor = Svg::Anchor::kMiddle});
    svg_.text({20, kTop + kPlotHeight / 2}, "bus bandwidth (GB/s)",
              {.anchor = Svg::Anchor::kMiddle, .upward = true});
  }

  void heading(std::string_view words) { svg_.text({kLeft, 26}, words, {.size = 16}); }

  void line(const ChartLine& line, const Svg::Stroke& stroke) {
    std::vector<Svg::Point> points;
    for (const auto& [bytes, gbps] : line.points)
      points.push_back({scale_.x(bytes), scale_.y(gbps)});
    svg_.polyline(points, stroke);
    for (const Svg::Point& point : points) svg_.circle(point, 3, stroke);
    legend_row(line.label, stroke);
  }

  void bound(double gbps) {
    Svg::Stroke stroke = stroke_of(0, true);
    stroke.width = 1;
    svg_.line({kLeft, scale_.y(gbps)}, {kLeft + kPlotWidth, scale_.y(gbps)}, stroke);
    legend_row(fmt::format("bound, {:g} GB/s", gbps), stroke_of(0, true));
  }

  std::string finish() && { return std::move(svg_).finish(); }

 private:
  static constexpr Svg::Stroke kGrid{.color = "#dddddd"};

  void size_mark(double bytes) {
    const double x = scale_.x(bytes);
    svg_.line({x, kTop}, {x, kBottom}, kGrid);
    svg_.text({x, kBottom + 18}, size_text(bytes), {.anchor = Svg::Anchor::kMiddle});
  }

  void bandwidth_mark(double gbps) {
    const double y = scale_.y(gbps);
    svg_.line({kLeft, y}, {kLeft + kPlotWidth, y}, kGrid);
    svg_.text({kLeft - 8, y + 4}, fmt::format("{:g}", gbps), {.anchor = Svg::Anchor::kEnd});
  }

  void legend_row(std::string_view label, const Svg::Stroke& stroke) {
    const double y = kLegendTop + static_cast<double>(legend_rows_++) * kLegendRow;
    svg_.line({kLeft, y - 4}, {kLeft + 34, y - 4}, stroke);
    svg_.text({kLeft + 42, y}, label);
  }

  Svg svg_;
  Scale scale_;
  std::size_t legend_rows_ = 0;
};

/// Of all that is drawn.
struct Extent {
  Range sizes;
  Range bandwidths;
};

Extent extent_of(const std::vector<ChartLine>& lines, double bound_gbps) {
  Extent extent;
  for (const ChartLine& line : lines) {
    for (const auto& [bytes, gbps] : line.points) {
      extent.sizes.take(bytes);
      extent.bandwidths.take(gbps);
    }
  }
  if (bound_gbps > 0) extent.bandwidths.take(bound_gbps);
  return extent;
}

}  // namespace

std::string chart_svg(const std::vector<ChartLine>& lines, const std::string& title,
                      double bound_gbps) {
  const Extent extent = extent_of(lines, bound_gbps);
  Chart chart(lines.size(), size_ticks(extent.sizes), bandwidth_ticks(extent.bandwidths));
  chart.heading(title);
  for (std::size_t i = 0; i < lines.size(); ++i)
    chart.line(lines[i], stroke_of(i, lines[i].is_bound));
  if (bound_gbps > 0) chart.bound(bound_gbps);
  return std::move(chart).finish();
}

}  // namespace rondo::tool
