#include "examples/recognize_digits/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace rondo::examples {
namespace {

constexpr int kUsageError = 2;

void add_options(CLI::App& app, Options& options) {
  app.add_option("--data", options.data, "digits, mnist, or the path of a file or folder of one");
  app.add_option("--epochs", options.epochs, "passes over the images (default: to suit the set)")
      ->check(CLI::PositiveNumber);
  app.add_option("--batch", options.batch,
                 "images in a step, over all ranks (default: to suit the set)")
      ->check(CLI::PositiveNumber);
  app.add_option("--learning-rate", options.learning_rate)
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--optimizer", options.optimizer)
      ->check(CLI::IsMember({"sgd", "momentum"}))
      ->capture_default_str();
  app.add_option("--momentum", options.momentum)
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--hidden", options.hidden, "widths of the hidden layers, as in 128,64")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the first weights and of the order of the images")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--precision", options.precision, "f64 runs the plain reference kernels")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
  app.add_option("--kernels", options.kernels)
      ->check(CLI::IsMember({"auto", "onednn", "reference"}))
      ->capture_default_str();
  app.add_option("--steps", options.steps, "end after so many steps")->check(CLI::PositiveNumber);
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
