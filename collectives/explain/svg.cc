#include "collectives/explain/svg.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace rondo::explain {
namespace {

std::string escaped(std::string_view words) {
  std::string text;
  for (const char letter : words) {
    switch (letter) {
      case '<': text += "&lt;"; break;
      case '>': text += "&gt;"; break;
      case '&': text += "&amp;"; break;
      case '"': text += "&quot;"; break;
      default: text += letter;
    }
  }
  return text;
}

/// Shown where the mouse rests.
std::string closed(std::string_view tag, std::string_view title) {
  if (title.empty()) return "/>\n";
  return fmt::format("><title>{}</title></{}>\n", escaped(title), tag);
}

}  // namespace

Svg::Svg(double width, double height) {
  fmt::format_to(std::back_inserter(body_),
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" "
                 "viewBox=\"0 0 {0:g} {1:g}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                 "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                 width, height);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view color,
               std::string_view title) {
  fmt::format_to(std::back_inserter(body_),
                 "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\"{}",
                 x1, y1, x2, y2, color, closed("line", title));
}

void Svg::box(double x, double y, double width, double height, std::string_view color,
              std::string_view title) {
  fmt::format_to(std::back_inserter(body_),
                 "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
                 "fill=\"{}\"{}",
                 x, y, width, height, color, closed("rect", title));
}

void Svg::text(double x, double y, std::string_view words, Anchor anchor) {
  fmt::format_to(std::back_inserter(body_),
                 "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n", x, y,
                 anchor == Anchor::kEnd ? "end" : "start", escaped(words));
}

std::string Svg::finish() && { return std::move(body_) + "</svg>\n"; }

}  // namespace rondo::explain
