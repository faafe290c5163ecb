#include "tools/rondo/bench/chart_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rondo::tool {
namespace {

constexpr double kLeft = 80;
constexpr double kTop = 44;
constexpr double kPlotWidth = 740;
constexpr double kPlotHeight = 400;
constexpr double kLegendTop = kTop + kPlotHeight + 70;
constexpr double kLegendRow = 20;

/// Colours that the colour-blind tell apart (Okabe and Ito).
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                 "#e69f00", "#56b4e9", "#000000", "#8c6d31"};

struct Range {
  double low = std::numeric_limits<double>::max();
  double high = 0;

  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    switch (letter) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += letter;
    }
  }
  return out;
}

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

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

std::string grid_line(double x1, double y1, double x2, double y2) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#dddddd\"/>\n", x1,
      y1, x2, y2);
}

std::string axes(const Scale& scale, const std::vector<double>& sizes,
                 const std::vector<double>& bandwidths) {
  std::string text;
  const double bottom = kTop + kPlotHeight;
  for (const double bytes : sizes) {
    const double x = scale.x(bytes);
    text += grid_line(x, kTop, x, bottom) + text_at(x, bottom + 18, "middle", size_text(bytes));
  }
  for (const double gbps : bandwidths) {
    const double y = scale.y(gbps);
    text += grid_line(kLeft, y, kLeft + kPlotWidth, y) +
            text_at(kLeft - 8, y + 4, "end", fmt::format("{:g}", gbps));
  }
  text += text_at(kLeft + kPlotWidth / 2, bottom + 42, "middle", "size");
  return text + fmt::format(
                    "<text x=\"20\" y=\"{0:.1f}\" text-anchor=\"middle\" "
                    "transform=\"rotate(-90 20 {0:.1f})\">bus bandwidth (GB/s)</text>\n",
                    kTop + kPlotHeight / 2);
}

/// Colour and, once they have all been used, dashes.
std::string stroke(std::size_t index, bool is_bound) {
  if (is_bound) return "stroke=\"#555555\" stroke-dasharray=\"8 5\"";
  const char* dashes = index < kColours.size() ? "" : " stroke-dasharray=\"3 3\"";
  return fmt::format("stroke=\"{}\"{}", kColours.at(index % kColours.size()), dashes);
}

std::string drawn_line(const ChartLine& line, std::size_t index, const Scale& scale) {
  std::string points;
  for (const auto& [bytes, gbps] : line.points) {
    points +=
        fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", scale.x(bytes), scale.y(gbps));
  }
  std::string text = fmt::format("<polyline points=\"{}\" fill=\"none\" stroke-width=\"2\" {}/>\n",
                                 points, stroke(index, line.is_bound));
  for (const auto& [bytes, gbps] : line.points) {
    text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"white\" {}/>\n",
                        scale.x(bytes), scale.y(gbps), stroke(index, line.is_bound));
  }
  return text;
}

std::string legend_row(std::size_t row, const std::string& label, const std::string& style) {
  const double y = kLegendTop + static_cast<double>(row) * kLegendRow;
  return fmt::format(
             "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" "
             "stroke-width=\"2\" {3}/>\n",
             kLeft, y - 4, kLeft + 34, style) +
         text_at(kLeft + 42, y, "start", label);
}

}  // namespace

std::string chart_svg(const std::vector<ChartLine>& lines, const std::string& title,
                      double bound_gbps) {
  Range sizes;
  Range bandwidths;
  for (const ChartLine& line : lines) {
    for (const auto& [bytes, gbps] : line.points) {
      sizes.take(bytes);
      bandwidths.take(gbps);
    }
  }
  if (bound_gbps > 0) bandwidths.take(bound_gbps);
  const std::vector<double> x_ticks = size_ticks(sizes);
  const std::vector<double> y_ticks = bandwidth_ticks(bandwidths);
  const Scale scale(x_ticks, y_ticks);
  std::string body = axes(scale, x_ticks, y_ticks);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    body += drawn_line(lines[i], i, scale);
    body += legend_row(i, lines[i].label, stroke(i, lines[i].is_bound));
  }
  if (bound_gbps > 0) {
    const double y = scale.y(bound_gbps);
    body += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n",
                        kLeft, y, kLeft + kPlotWidth, y, stroke(0, true));
    body += legend_row(lines.size(), fmt::format("bound, {:g} GB/s", bound_gbps), stroke(0, true));
  }
  const double height = kLegendTop + static_cast<double>(lines.size() + 1) * kLegendRow;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"{0:.0f}\" "
      "viewBox=\"0 0 860 {0:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"860\" height=\"{0:.0f}\" fill=\"white\"/>\n"
      "<text x=\"{1:.1f}\" y=\"26\" font-size=\"16\">{2}</text>\n{3}</svg>\n",
      height, kLeft, escaped(title), body);
}

}  // namespace rondo::tool
