#include "examples/recognize_digits/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <string>
#include <utility>

namespace rondo::examples {
namespace {

constexpr std::size_t kBarWidth = 40;
constexpr const char* kClearLine = "\r\x1b[K";

std::string traffic_text(const Communicator& communicator) {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> by_transport;
  for (const PeerTraffic& peer : communicator.traffic()) {
    by_transport[peer.transport].first += peer.sent_bytes;
    by_transport[peer.transport].second += peer.received_bytes;
  }
  if (by_transport.empty()) return "no peers, nothing to exchange";
  std::string text = "rank 0 exchanged with its peers";
  const char* separator = ": ";
  for (const auto& [transport, bytes] : by_transport) {
    text += fmt::format("{}{:.1f} MB sent and {:.1f} MB received over {}", separator,
                        static_cast<double>(bytes.first) / 1e6,
                        static_cast<double>(bytes.second) / 1e6, transport);
    separator = ", ";
  }
  return text;
}

void print_line(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

Report::Report(const World& world)
    : world_(world),
      prints_(world.prints()),
      bar_(world.size() == world.places() && ::isatty(STDOUT_FILENO) == 1) {}

void Report::start(const Options& options, const nn::TrainTest& data) const {
  if (!prints_) return;
  print_line(fmt::format("{} images of {} x {} to learn from, {} held out", data.train->count(),
                         data.train->height, data.train->width, data.held_out->count()));
  print_line(fmt::format("{} {}; batches of {}; {}, learning rate {}, {}", world_.size(),
                         world_.size() == 1 ? "rank" : "ranks", options.batch, options.optimizer,
                         options.learning_rate, options.precision));
}

void Report::step(int epoch, std::size_t step, std::size_t steps) const {
  if (!bar_) return;
  const std::size_t done = kBarWidth * step / steps;
  fmt::print("\repoch {:2} [{:<{}}] {}/{}", epoch, std::string(done, '='), kBarWidth, step, steps);
  std::fflush(stdout);
}

void Report::epoch(int epoch, int epochs, const EpochResult& result) const {
  if (!prints_) return;
  if (bar_) fmt::print("{}", kClearLine);
  print_line(fmt::format("epoch {:2}/{}  loss {:.4f}  accuracy {:6.2f} %  {:.0f} images/s", epoch,
                         epochs, result.loss, 100 * result.accuracy,
                         static_cast<double>(result.images) / result.seconds));
}

void Report::end(std::size_t right, std::size_t held_out, double seconds) const {
  if (!prints_) return;
  print_line(fmt::format("held-out accuracy {:.2f} % ({} of {} right)",
                         100.0 * static_cast<double>(right) / static_cast<double>(held_out), right,
                         held_out));
  print_line(fmt::format("{:.1f} s; {}", seconds, traffic_text(world_.first())));
}

}  // namespace rondo::examples
