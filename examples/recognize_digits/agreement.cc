#include "examples/recognize_digits/agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace rondo::examples {
namespace {

/// FNV-1a, 64 bits.
class Checksum {
 public:
  void add(std::uint64_t value) { sum_ = (sum_ ^ value) * 0x100000001b3U; }
  void add(const nn::ImageSet& images) {
    for (const std::uint8_t pixel : images.pixels) add(pixel);
    for (const std::int64_t label : images.labels) add(static_cast<std::uint64_t>(label));
  }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325U;
};

/// One line for each setting.
std::string to_text(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings) text += setting.value + "\n";
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Of an option that is 0 where it isn't given.
template <typename Number>
std::string value_of(Number number) {
  return number == 0 ? "its default" : fmt::to_string(number);
}

}  // namespace

std::vector<Setting> settings_of(const Options& options) {
  return {{"--epochs", value_of(options.epochs)},
          {"--batch", value_of(options.batch)},
          {"--learning-rate", fmt::to_string(options.learning_rate)},
          {"--optimizer", options.optimizer},
          {"--momentum", fmt::to_string(options.momentum)},
          {"--hidden", fmt::format("{}", fmt::join(options.hidden, ","))},
          {"--seed", fmt::to_string(options.seed)},
          {"--precision", options.precision},
          {"--kernels", options.kernels},
          {"--steps", value_of(options.steps)}};
}

std::vector<Setting> settings_of(const nn::TrainTest& data) {
  Checksum checksum;
  checksum.add(*data.train);
  checksum.add(*data.held_out);
  return {{"--data", fmt::format("{} images with checksum {:016x}",
                                 data.train->count() + data.held_out->count(), checksum.value())}};
}

std::string disagreement(const std::vector<Setting>& own, World& world) {
  const std::vector<std::string> texts = world.gather(to_text(own));
  const auto other =
      std::ranges::find_if(texts, [&](const auto& text) { return text != texts[0]; });
  if (other == texts.end()) return {};
  const std::vector<std::string> first = lines_of(texts[0]);
  const std::vector<std::string> second = lines_of(*other);
  for (std::size_t i = 0; i < std::min({own.size(), first.size(), second.size()}); ++i) {
    if (first[i] == second[i]) continue;
    return fmt::format("{} must be equal on all ranks: rank 0 has {}, rank {} has {}", own[i].name,
                       first[i], other - texts.begin(), second[i]);
  }
  return fmt::format("rank 0 and rank {} run different versions of this program",
                     other - texts.begin());
}

}  // namespace rondo::examples
