#include "collectives/explain/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/amounts.h"
#include "core/svg.h"

namespace rondo::explain {
namespace {

using simulate::Span;

constexpr double kLeft = 70;
constexpr double kTop = 50;
constexpr double kWidth = 1000;
constexpr double kRow = 34;
constexpr double kBox = 12;
constexpr double kMargin = 30;

/// Of one rank after the other, half a gigabyte of spans.
constexpr std::uint64_t kMostWork = 6'000'000;

/// Messages by sender: colours that are told apart on white.
constexpr std::array<std::string_view, 8> kColors = {"#1b6ca8", "#c0392b", "#1e8449", "#8e44ad",
                                                     "#b9770e", "#117a65", "#7b241c", "#34495e"};

std::string_view color_of(schedule::Rank rank) {
  return kColors[static_cast<std::size_t>(rank) % kColors.size()];
}

/// 1, 2 or 5 times a power of ten, for five to ten marks in all.
double step_of_marks(double length_us) {
  const double rough = length_us / 8;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

class Drawing {
 public:
  Drawing(int ranks, double length_us)
      : svg_(kLeft + kWidth + kMargin, kTop + ranks * kRow + kMargin),
        length_us_(length_us > 0 ? length_us : 1),
        bottom_(kTop + ranks * kRow) {}

  void heading(std::string_view words) { svg_.text({kLeft, kTop / 2}, words); }

  void axes(int ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      svg_.text({kLeft - 8, y(rank) + 4}, fmt::format("rank {}", rank),
                {.anchor = Svg::Anchor::kEnd});
      svg_.line({kLeft, y(rank)}, {kLeft + kWidth, y(rank)}, {.color = "#dddddd"});
    }
    marks();
  }

  void work(const Span& span) {
    svg_.box({x(span.begin_us), y(span.rank) - kBox / 2}, x(span.end_us) - x(span.begin_us), kBox,
             "#f2c14e",
             fmt::format("rank {} works {:.3f} to {:.3f} us: lane {}, step {}, {} bytes", span.rank,
                         span.begin_us, span.end_us, span.lane, span.sweep, span.bytes));
  }

  void message(const Span& span) {
    svg_.line({x(span.begin_us), y(span.rank)}, {x(span.end_us), y(span.peer)},
              {.color = color_of(span.rank)},
              fmt::format("rank {} to rank {}, {:.3f} to {:.3f} us: {} bytes", span.rank, span.peer,
                          span.begin_us, span.end_us, span.bytes));
  }

  std::string finish() && { return std::move(svg_).finish(); }

 private:
  /// All in the unit of the whole, and in full: a power of ten says little beside its neighbours.
  void marks() {
    const TimeUnit unit = time_unit_of(length_us_);
    const double step = step_of_marks(length_us_);
    constexpr int kMostMarks = 10;
    for (int mark = 0; mark <= kMostMarks && mark * step <= length_us_; ++mark) {
      const double us = mark * step;
      svg_.line({x(us), kTop - 6}, {x(us), bottom_}, {.color = "#eeeeee"});
      svg_.text({x(us) + 2, bottom_ + 14}, fmt::format("{:.12g} {}", us / unit.us, unit.name));
    }
  }

  double x(double us) const { return kLeft + kWidth * us / length_us_; }
  static double y(schedule::Rank rank) { return kTop + kRow * (rank + 0.5); }

  Svg svg_;
  double length_us_;
  double bottom_;
};

/// What is drawn of it.
void correct(simulate::Prediction& prediction, double correction) {
  prediction.us *= correction;
  for (Span& span : prediction.spans) {
    span.begin_us *= correction;
    span.end_us *= correction;
  }
}

}  // namespace

Result<simulate::Prediction> predict_to_draw(const Scenario& scenario,
                                             const algorithms::Algorithm* algorithm) {
  RONDO_ASSIGN(const Schedules schedules, schedules_of(scenario, algorithm));
  simulate::Options options = scenario.options;
  options.fold = false;
  options.record = true;
  options.most_pieces = kMostSpansDrawn;
  options.most_work = kMostWork;
  const auto simulated = [&] { return select::predict(schedules, scenario.network, options); };
  RONDO_ASSIGN(simulate::Prediction prediction, simulated());
  std::size_t before = 0;
  while (prediction.spans.size() > kMostSpansDrawn && prediction.spans.size() != before) {
    before = prediction.spans.size();
    // Of every piece its work is drawn, and its messages.
    options.most_pieces = static_cast<std::uint64_t>(std::ranges::count(
                              prediction.spans, Span::Kind::kWork, &Span::kind)) /
                          2;
    RONDO_ASSIGN(prediction, simulated());
  }
  correct(prediction, correction_of(scenario, algorithm));
  return prediction;
}

std::string draw(const Scenario& scenario, std::string_view algorithm,
                 const simulate::Prediction& prediction) {
  Drawing drawing(scenario.world(), prediction.us);
  drawing.heading(fmt::format(
      "{} by {}: {}, {} on {}, {} predicted", to_string(scenario.question.collective), algorithm,
      bytes_text(scenario.question.bytes), count_text(scenario.world(), "rank"),
      count_text(scenario.hosts->hosts(), "host"), time_text(prediction.us)));
  drawing.axes(scenario.world());
  for (const Span& span : prediction.spans) {
    if (span.kind == Span::Kind::kWork) drawing.work(span);
  }
  for (const Span& span : prediction.spans) {
    if (span.kind == Span::Kind::kMessage) drawing.message(span);
  }
  return std::move(drawing).finish();
}

}  // namespace rondo::explain
