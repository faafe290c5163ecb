#include "collectives/communicator/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/schedule/racks.h"
#include "core/log.h"

namespace rondo::communicator {
namespace {

using schedule::Collective;
using schedule::HostLayout;
using schedule::LinkSpeeds;
using schedule::Rank;

/// More than switches and traffic shapers let through at once.
constexpr std::size_t kFirstBytes = std::size_t{1024} * 1024;
constexpr std::size_t kLastBytes = std::size_t{16} * 1024 * 1024;
/// What the fastest link takes, at least, for its time to say something.
constexpr double kLongEnough = 0.02;
/// Of several tries the best counts: whatever else ran meanwhile made the others longer.
int tries_of(int hosts) { return hosts <= 8 ? 3 : hosts <= 16 ? 2 : 1; }

/// Whom `host` meets in round `round` of a tournament in which all meet all, each round all at once
/// (the circle method); itself: nobody.
int opponent(int host, int round, int hosts) {
  const int circle = hosts + hosts % 2 - 1;
  int other = ((round - host) % circle + circle) % circle;
  if (host == circle) {
    // The one in the middle meets whoever would meet itself.
    for (other = 0; (2 * other) % circle != round;) ++other;
  } else if (other == host) {
    other = circle;
  }
  return other < hosts ? other : host;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// One rank's part in measuring.
class Probe {
 public:
  explicit Probe(Engine& engine)
      : engine_(engine),
        hosts_(engine.place().layout()),
        own_(hosts_.host_of(engine.place().rank())) {
    const auto count = static_cast<std::size_t>(hosts_.hosts());
    seconds_from_.assign(count, 0);
    if (hosts_.ranks_of(own_).front() == engine.place().rank()) data_.resize(kLastBytes);
  }

  /// Seconds by [from * hosts + to], 0 on the diagonal, of messages of the bytes that are returned.
  Result<std::size_t> measure(std::vector<double>& seconds) {
    for (std::size_t bytes = kFirstBytes;; bytes *= 4) {
      std::fill(seconds_from_.begin(), seconds_from_.end(), 0);
      for (int tries = 0; tries < tries_of(hosts_.hosts()); ++tries) RONDO_TRY(meet_all(bytes));
      RONDO_TRY(gather(seconds));
      double fastest = 0;
      for (const double time : seconds) {
        if (time > 0 && (fastest == 0 || time < fastest)) fastest = time;
      }
      if (fastest >= kLongEnough || bytes >= kLastBytes) return bytes;
    }
  }

 private:
  Status meet_all(std::size_t bytes) {
    const int hosts = hosts_.hosts();
    for (int round = 0; round < hosts + hosts % 2 - 1; ++round) {
      const int other = opponent(own_, round, hosts);
      for (const bool upwards : {true, false}) {
        RONDO_TRY(engine_.call({}));
        const bool leads = hosts_.ranks_of(own_).front() == engine_.place().rank();
        if (leads && other != own_) RONDO_TRY(meet(other, (own_ < other) == upwards, bytes));
      }
    }
    return {};
  }

  /// Half as much goes ahead: it uses up what shapers let through at once, and TCP's slow start.
  Status meet(int other, bool sends, std::size_t bytes) {
    const int peer = hosts_.ranks_of(other).front();
    if (sends) {
      RONDO_TRY(send(peer, bytes / 2));
      return send(peer, bytes);
    }
    RONDO_TRY(receive(peer, bytes / 2));
    const auto begin = std::chrono::steady_clock::now();
    RONDO_TRY(receive(peer, bytes));
    const double time = seconds_since(begin);
    double& best = seconds_from_[static_cast<std::size_t>(other)];
    best = best == 0 ? time : std::min(best, time);
    return {};
  }

  Status send(int peer, std::size_t bytes) {
    return engine_.call({.input = {data_.data(), bytes, DataType::kU8},
                         .output = {},
                         .root = peer,
                         .exchange = Exchange::kSend});
  }
  Status receive(int peer, std::size_t bytes) {
    return engine_.call({.input = {},
                         .output = {data_.data(), bytes, DataType::kU8},
                         .root = peer,
                         .exchange = Exchange::kReceive});
  }

  Status gather(std::vector<double>& seconds) {
    const std::size_t hosts = seconds_from_.size();
    std::vector<double> all(hosts * static_cast<std::size_t>(engine_.place().size()));
    RONDO_TRY(engine_.call({.collective = Collective::kAllGather,
                            .input = {seconds_from_.data(), hosts, DataType::kF64},
                            .output = {all.data(), all.size(), DataType::kF64}}));
    for (std::size_t to = 0; to < hosts; ++to) {
      const auto leader = static_cast<std::size_t>(hosts_.ranks_of(static_cast<int>(to)).front());
      for (std::size_t from = 0; from < hosts; ++from)
        seconds[from * hosts + to] = all[leader * hosts + from];
    }
    return {};
  }

  Engine& engine_;
  const HostLayout& hosts_;
  int own_;
  std::vector<double> seconds_from_;
  std::vector<std::byte> data_;
};

/// From hosts to ranks.
LinkSpeeds speeds_of(const HostLayout& hosts, const std::vector<double>& seconds) {
  const auto world = static_cast<std::size_t>(hosts.world());
  const auto count = static_cast<std::size_t>(hosts.hosts());
  std::vector<double> speeds(world * world, 0);
  for (std::size_t from = 0; from < world; ++from) {
    for (std::size_t to = 0; to < world; ++to) {
      const auto sender = static_cast<std::size_t>(hosts.host_of(static_cast<Rank>(from)));
      const auto receiver = static_cast<std::size_t>(hosts.host_of(static_cast<Rank>(to)));
      if (sender != receiver) speeds[from * world + to] = 1 / seconds[sender * count + receiver];
    }
  }
  return schedule::with_racks_alike(LinkSpeeds::of_pairs(hosts.world(), speeds));
}

std::string text_of(const std::vector<double>& seconds, std::size_t bytes, std::size_t hosts) {
  std::string text;
  for (std::size_t from = 0; from < hosts; ++from) {
    text += fmt::format("{}host {}:", from == 0 ? "" : "; ", from);
    for (std::size_t to = 0; to < hosts; ++to) {
      const double time = seconds[from * hosts + to];
      text += time == 0 ? " -" : fmt::format(" {:.0f}", static_cast<double>(bytes) / time / 1e6);
    }
  }
  return text;
}

}  // namespace

Result<LinkSpeeds> listed_links(const std::string& list, int world) {
  std::vector<double> speeds;
  bool is_right = true;
  for (std::string_view left = list; is_right;) {
    const std::string_view word = left.substr(0, left.find(','));
    double speed = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), speed);
    is_right = error == std::errc() && stop == word.data() + word.size() && speed > 0 &&
               std::isfinite(speed);
    speeds.push_back(speed);
    if (word.size() == left.size()) break;
    left.remove_prefix(word.size() + 1);
  }
  if (is_right && speeds.size() == static_cast<std::size_t>(world))
    return LinkSpeeds::of_ranks(speeds);
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("links must be 'equal', 'measure', or the speed of each of the {} "
                            "ranks' links, as in '1,1,0.2', not '{}' (option links, RONDO_LINKS)",
                            world, list));
}

Status check_links(const std::string& option, int world) {
  if (option == kEqualLinks || option == kMeasureLinks) return {};
  return listed_links(option, world).status();
}

Status learn_links(Engine& engine) {
  const Place& place = engine.place();
  const std::string& links = place.options().links;
  if (links == kEqualLinks) return {};
  if (links == kMeasureLinks) {
    RONDO_ASSIGN(const auto measured, measure_links(engine));
    if (measured.has_value()) engine.use_links(*measured);
    return {};
  }
  RONDO_ASSIGN(const LinkSpeeds listed, listed_links(links, place.size()));
  engine.use_links(listed);
  return {};
}

Result<std::optional<LinkSpeeds>> measure_links(Engine& engine) {
  const HostLayout& hosts = engine.place().layout();
  if (hosts.hosts() < 3) return std::optional<LinkSpeeds>();
  const auto count = static_cast<std::size_t>(hosts.hosts());
  std::vector<double> seconds(count * count, 0);
  RONDO_ASSIGN(const std::size_t bytes, Probe(engine).measure(seconds));
  if (engine.place().rank() == 0) {
    log(LogLevel::kInfo, [&] {
      return fmt::format("links measured with {} bytes, MB/s from each host to each other: {}",
                         bytes, text_of(seconds, bytes, count));
    });
  }
  return std::optional<LinkSpeeds>(speeds_of(hosts, seconds));
}

}  // namespace rondo::communicator
