#include "examples/recognize_digits/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>

namespace rondo::examples {
namespace {

constexpr int kUsageError = 2;
/// Two such layers in a row have 67 million weights, a quarter of a gigabyte.
constexpr int kWidestLayer = 8192;
constexpr std::size_t kMostLayers = 16;

/// CLI11's own checks let "nan" through, and name limits of 300 digits.
CLI::Validator number_that(const char* what, bool (*suits)(double)) {
  const auto check = [what, suits](const std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool is_number = end != text.c_str() && *end == '\0' && std::isfinite(value);
    return is_number && suits(value) ? "" : fmt::format("'{}' is no {}", text, what);
  };
  return CLI::Validator(check, "");
}

CLI::Validator positive() {
  return number_that("positive number", [](double value) { return value > 0; });
}

CLI::Validator fraction() {
  return number_that("number from 0 to 1", [](double value) { return value >= 0 && value <= 1; });
}

CLI::Validator width() {
  static const std::string what = fmt::format("width from 1 to {}", kWidestLayer);
  return number_that(what.c_str(),
                     [](double value) { return value >= 1 && value <= kWidestLayer; });
}

void check_depth(const Options& options) {
  if (options.hidden.size() <= kMostLayers) return;
  throw CLI::ValidationError("--hidden", fmt::format("{} layers given, at most {} expected",
                                                     options.hidden.size(), kMostLayers));
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("--data", options.data, "digits, mnist, or the path of a file or folder of one");
  app.add_option("--epochs", options.epochs, "passes over the images (default: to suit the set)")
      ->check(positive());
  app.add_option("--batch", options.batch,
                 "images in a step, over all ranks (default: to suit the set)")
      ->check(positive());
  app.add_option("--learning-rate", options.learning_rate)
      ->check(positive())
      ->capture_default_str();
  app.add_option("--optimizer", options.optimizer)
      ->check(CLI::IsMember({"sgd", "momentum"}))
      ->capture_default_str();
  app.add_option("--momentum", options.momentum)->check(fraction())->capture_default_str();
  app.add_option("--hidden", options.hidden, "widths of the hidden layers, as in 128,64")
      ->delimiter(',')
      ->check(width())
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the first weights and of the order of the images")
      ->check(positive())
      ->capture_default_str();
  app.add_option("--precision", options.precision, "f64 runs the plain reference kernels")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
  app.add_option("--kernels", options.kernels)
      ->check(CLI::IsMember({"auto", "onednn", "reference"}))
      ->capture_default_str();
  app.add_option("--steps", options.steps, "end after so many steps")->check(positive());
  app.add_option("--places", options.places, "ranks in this process, each with its thread")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--loss-file", options.loss_file, "write the mean loss of each step to this file");
}

}  // namespace

CommandLine parse_command_line(int count, char** arguments) {
  CommandLine line;
  CLI::App app(
      "Learns to read handwritten digits, on one rank or on as many as a launcher starts:\n"
      "  recognize_digits\n"
      "  rondo run -n 4 -- recognize_digits\n"
      "  mpirun --oversubscribe -n 4 recognize_digits\n",
      "recognize_digits");
  add_options(app, line.options);
  try {
    app.parse(count, arguments);
    check_depth(line.options);
  } catch (const CLI::CallForHelp&) {
    line.exit_code = 0;
    line.text = app.help();
  } catch (const CLI::ParseError& error) {
    line.exit_code = kUsageError;
    line.text = fmt::format("recognize_digits: {} (--help lists the options)\n", error.what());
  }
  return line;
}

}  // namespace rondo::examples
