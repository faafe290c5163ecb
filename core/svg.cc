#include "core/svg.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace rondo {
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

std::string closed(std::string_view tag, std::string_view title) {
  if (title.empty()) return "/>\n";
  return fmt::format("><title>{}</title></{}>\n", escaped(title), tag);
}

std::string attributes(const Svg::Stroke& stroke) {
  std::string text = fmt::format("stroke=\"{}\"", stroke.color);
  if (stroke.width != 1) text += fmt::format(" stroke-width=\"{:g}\"", stroke.width);
  if (!stroke.dashes.empty()) text += fmt::format(" stroke-dasharray=\"{}\"", stroke.dashes);
  return text;
}

const char* name_of(Svg::Anchor anchor) {
  switch (anchor) {
    case Svg::Anchor::kMiddle: return "middle";
    case Svg::Anchor::kEnd: return "end";
    default: return "start";
  }
}

}  // namespace

Svg::Svg(double width, double height) {
  fmt::format_to(std::back_inserter(body_),
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" "
                 "viewBox=\"0 0 {0:g} {1:g}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                 "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                 width, height);
}

void Svg::line(Point from, Point to, const Stroke& stroke, std::string_view title) {
  fmt::format_to(std::back_inserter(body_),
                 "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {}{}", from.x,
                 from.y, to.x, to.y, attributes(stroke), closed("line", title));
}

void Svg::polyline(std::span<const Point> points, const Stroke& stroke) {
  std::string list;
  for (const Point& point : points)
    fmt::format_to(std::back_inserter(list), "{}{:.2f},{:.2f}", list.empty() ? "" : " ", point.x,
                   point.y);
  fmt::format_to(std::back_inserter(body_), "<polyline points=\"{}\" fill=\"none\" {}/>\n", list,
                 attributes(stroke));
}

void Svg::circle(Point center, double radius, const Stroke& stroke) {
  fmt::format_to(std::back_inserter(body_),
                 "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:g}\" fill=\"white\" {}/>\n", center.x,
                 center.y, radius, attributes(stroke));
}

void Svg::box(Point corner, double width, double height, std::string_view color,
              std::string_view title) {
  fmt::format_to(std::back_inserter(body_),
                 "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
                 "fill=\"{}\"{}",
                 corner.x, corner.y, width, height, color, closed("rect", title));
}

void Svg::text(Point at, std::string_view words, const TextStyle& style) {
  std::string more;
  if (style.size > 0) more += fmt::format(" font-size=\"{}\"", style.size);
  if (style.upward) more += fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", at.x, at.y);
  fmt::format_to(std::back_inserter(body_),
                 "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\"{}>{}</text>\n", at.x, at.y,
                 name_of(style.anchor), more, escaped(words));
}

std::string Svg::finish() && { return std::move(body_) + "</svg>\n"; }

}  // namespace rondo
