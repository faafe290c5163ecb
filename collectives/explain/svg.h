#pragma once

// Scalable vector graphics, the few shapes that drawings need (W3C, SVG 1.1). A value.

#include <string>
#include <string_view>

namespace rondo::explain {

class Svg {
 public:
  /// In pixels.
  Svg(double width, double height);

  void line(double x1, double y1, double x2, double y2, std::string_view color,
            std::string_view title = {});
  void box(double x, double y, double width, double height, std::string_view color,
           std::string_view title = {});
  enum class Anchor : bool { kStart, kEnd };
  void text(double x, double y, std::string_view words, Anchor anchor = Anchor::kStart);

  std::string finish() &&;

 private:
  std::string body_;
};

}  // namespace rondo::explain
