#pragma once

// Scalable vector graphics, the few shapes that drawings and charts need (W3C, SVG 1.1). Lengths
// are pixels. A value. Threads: any, one at a time.

#include <span>
#include <string>
#include <string_view>

namespace rondo {

class Svg {
 public:
  struct Point {
    double x = 0;
    double y = 0;
  };
  struct Stroke {
    std::string_view color;
    double width = 1;
    std::string_view dashes{};  ///< "8 5": drawn and left out by turns; empty: all is drawn
  };
  enum class Anchor : unsigned char { kStart, kMiddle, kEnd };
  struct TextStyle {
    Anchor anchor = Anchor::kStart;
    int size = 0;         ///< 0: that of the whole picture, 12
    bool upward = false;  ///< turned to the left
  };

  /// White.
  Svg(double width, double height);

  /// `title` is shown where the mouse rests.
  void line(Point from, Point to, const Stroke& stroke, std::string_view title = {});
  void polyline(std::span<const Point> points, const Stroke& stroke);
  /// White inside.
  void circle(Point center, double radius, const Stroke& stroke);
  void box(Point corner, double width, double height, std::string_view color,
           std::string_view title = {});
  /// Whatever is in `words` is shown as it is.
  void text(Point at, std::string_view words, const TextStyle& style);
  void text(Point at, std::string_view words) { text(at, words, {}); }

  /// The whole document.
  std::string finish() &&;

 private:
  std::string body_;
};

}  // namespace rondo
