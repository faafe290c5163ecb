#include "tools/rondo/tune/tune_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/amounts.h"
#include "tools/rondo/bench/result.h"

namespace rondo::tool {
namespace {

/// What a choice may cost beside the best.
constexpr double kGoodChoice = 1.1;

const MeasuredAlgorithm& named(const MeasuredChoice& choice, const std::string& name) {
  return *std::ranges::find(choice.algorithms, name, &MeasuredAlgorithm::name);
}
const MeasuredAlgorithm& chosen_of(const MeasuredChoice& choice) {
  return named(choice, choice.chosen);
}
const MeasuredAlgorithm& best_of(const MeasuredChoice& choice) {
  return named(choice, choice.fastest);
}

double ratio_of(const MeasuredChoice& choice) { return chosen_of(choice).us / best_of(choice).us; }

double error_of(const MeasuredAlgorithm& algorithm) {
  return algorithm.predicted_us / algorithm.us - 1;
}

/// Between the halves of one algorithm's rounds.
double difference_of(const MeasuredAlgorithm& algorithm) {
  const double both[] = {algorithm.us, algorithm.other_half_us};
  return std::ranges::max(both) / std::ranges::min(both) - 1;
}

}  // namespace

std::string choice_heading() {
  return fmt::format("{:<14} {:>9}  {:<20} {:>10} {:>10} {:>7}  {:<20} {:>10} {:>6}\n",
                     "collective", "size", "chosen", "measured", "predicted", "error", "fastest",
                     "measured", "ratio");
}

std::string choice_line(const MeasuredChoice& choice) {
  const MeasuredAlgorithm& chosen = chosen_of(choice);
  const MeasuredAlgorithm& best = best_of(choice);
  return fmt::format("{:<14} {:>9}  {:<20} {:>10} {:>10} {:>6.0f}%  {:<20} {:>10} {:>6.2f}\n",
                     to_string(choice.collective), bytes_text(choice.bytes), chosen.name,
                     time_text(chosen.us), time_text(chosen.predicted_us), 100 * error_of(chosen),
                     best.name, time_text(best.us), ratio_of(choice));
}

bool is_good(const MeasuredChoice& choice) { return ratio_of(choice) <= kGoodChoice; }

std::string choice_summary(const std::vector<MeasuredChoice>& choices) {
  std::vector<double> all;
  std::vector<double> of_chosen;
  std::vector<double> differences;
  double worst = 1;
  int good = 0;
  for (const MeasuredChoice& choice : choices) {
    of_chosen.push_back(std::abs(error_of(chosen_of(choice))));
    for (const MeasuredAlgorithm& algorithm : choice.algorithms) {
      all.push_back(std::abs(error_of(algorithm)));
      differences.push_back(difference_of(algorithm));
    }
    worst = std::max(worst, ratio_of(choice));
    good += is_good(choice) ? 1 : 0;
  }
  const auto apart = std::ranges::count_if(
      differences, [](double difference) { return difference > kGoodChoice - 1; });
  return fmt::format(
      "median error of predictions: {:.0f}% of those chosen, {:.0f}% of all {} candidates\n"
      "choices within 10% of the fastest: {} of {}; the worst takes {:.2f} times as long\n"
      "halves of one algorithm's own rounds: {:.0f}% apart in the median, more than 10% for {} of "
      "{}\n",
      100 * median(of_chosen), 100 * median(all), all.size(), good, choices.size(), worst,
      100 * median(differences), apart, differences.size());
}

std::string second_look_summary(const std::vector<MeasuredChoice>& again) {
  const auto beyond = std::ranges::count_if(again, std::not_fn(is_good));
  return fmt::format(
      "of the {} beyond 10%, measured once more, {} {} so again; the worst takes {:.2f} times as "
      "long\n",
      again.size(), beyond, beyond == 1 ? "is" : "are",
      ratio_of(*std::ranges::max_element(again, {}, ratio_of)));
}

}  // namespace rondo::tool
