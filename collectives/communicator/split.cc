#include "collectives/communicator/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/cgroup.h"
#include "transport/mesh/opened_place.h"

namespace rondo::communicator {
namespace {

using transport::OpenedPlace;
using transport::PlaceAddresses;

/// For so long at least others wait for a rank that connects: it is away from the calls of the
/// communicator then.
constexpr int kPatienceMs = 10'000;

/// What each rank says first.
struct Wish {
  std::int32_t takes_part = 0;
  std::int32_t color = 0;
  std::int32_t key = 0;
};

/// What each rank says next: where it listens, or why it can't. Equal on all ranks in size.
struct Notice {
  std::uint32_t failed = 0;
  std::uint32_t bytes = 0;
  std::int32_t code = 0;  ///< an ErrorCode
  std::array<char, 4084> text{};
};

/// `timeout_ms`: 0 is that of the communicator.
template <typename T>
Result<std::vector<T>> all_gather(Engine& engine, const T& own, int timeout_ms = 0) {
  std::vector<T> all(static_cast<std::size_t>(engine.place().size()));
  RONDO_TRY(engine.call({.collective = Collective::kAllGather,
                         .input = {&own, sizeof(T), DataType::kU8},
                         .output = {all.data(), all.size() * sizeof(T), DataType::kU8},
                         .of_split = true,
                         .timeout_ms = timeout_ms}));
  return all;
}

/// The old ranks of this rank's group, in their new order.
std::vector<int> members_of(const std::vector<Wish>& wishes, int rank) {
  const Wish& own = wishes[static_cast<std::size_t>(rank)];
  std::vector<int> members;
  for (std::size_t other = 0; other < wishes.size(); ++other) {
    if (wishes[other].takes_part != 0 && wishes[other].color == own.color)
      members.push_back(static_cast<int>(other));
  }
  std::ranges::stable_sort(
      members, {}, [&wishes](int member) { return wishes[static_cast<std::size_t>(member)].key; });
  return members;
}

/// Sebastiano Vigna's splitmix64: worlds of one job must not take each other's connections.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

transport::Identity identity_of(const Engine& parent, const std::vector<int>& members, int color) {
  const transport::Mesh& mesh = parent.place().mesh();
  const transport::Identity& old = mesh.identity();
  const auto place = std::ranges::find(members, mesh.rank());
  // The parent's call count tells one split from the next.
  const std::uint64_t job = mixed(mixed(mixed(old.job + old.epoch) + parent.place().calls()) +
                                  static_cast<std::uint32_t>(color));
  return {.job = job,
          .epoch = old.epoch,
          .rank = static_cast<int>(place - members.begin()),
          .world = static_cast<int>(members.size())};
}

Result<OpenedPlace> open(const Engine& parent, const std::vector<int>& members, int color) {
  const transport::Mesh& mesh = parent.place().mesh();
  std::vector<transport::RankInfo> ranks;
  for (const int member : members) ranks.push_back(mesh.ranks()[static_cast<std::size_t>(member)]);
  transport::MeshMeans means = mesh.means();
  means.crowding = mesh.crowding();
  return OpenedPlace::open(identity_of(parent, members, color), std::move(ranks), means);
}

Notice notice_of(const Result<OpenedPlace>& place) {
  const PlaceAddresses addresses = place.ok() ? place->addresses() : PlaceAddresses{};
  std::string text = place.ok() ? encode(std::span(&addresses, 1)) : place.status().to_string();
  Notice notice;
  notice.failed = place.ok() ? 0 : 1;
  notice.code = static_cast<std::int32_t>(place.status().code());
  notice.bytes = static_cast<std::uint32_t>(std::min(text.size(), notice.text.size()));
  std::memcpy(notice.text.data(), text.data(), notice.bytes);
  return notice;
}

std::string_view text_of(const Notice& notice) {
  return {notice.text.data(), std::min<std::size_t>(notice.bytes, notice.text.size())};
}

/// Said of a peer: that one knows better, if it says anything.
bool is_about_a_peer(const Notice& notice) {
  const auto code = static_cast<ErrorCode>(notice.code);
  return code == ErrorCode::kTimeout || code == ErrorCode::kPeerLost;
}

Status first_failure(const std::vector<Notice>& notices, const char* what) {
  const auto failed = [](const Notice& notice) { return notice.failed != 0; };
  const auto knows = [&](const Notice& notice) {
    return failed(notice) && !is_about_a_peer(notice);
  };
  auto found = std::ranges::find_if(notices, knows);
  if (found == notices.end()) found = std::ranges::find_if(notices, failed);
  if (found == notices.end()) return {};
  const auto rank = static_cast<int>(found - notices.begin());
  const bool is_late = static_cast<ErrorCode>(found->code) == ErrorCode::kTimeout;
  return Status(is_late ? ErrorCode::kTimeout : ErrorCode::kSystem,
                fmt::format("split: rank {} can't {}: {}", rank, what, text_of(*found)),
                is_about_a_peer(*found) ? kNoCulprit : rank);
}

Status connect(OpenedPlace& place, const std::vector<int>& members,
               const std::vector<Notice>& notices, int timeout_ms, const transport::Look& look) {
  std::vector<PlaceAddresses> addresses;
  for (const int member : members) {
    RONDO_ASSIGN(const auto decoded,
                 transport::decode(text_of(notices[static_cast<std::size_t>(member)])));
    if (decoded.size() != 1) {
      return Status(ErrorCode::kDataLoss,
                    fmt::format("rank {} gave {} places' addresses", member, decoded.size()),
                    member);
    }
    addresses.push_back(decoded.front());
  }
  return place.connect(
      addresses, std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms), look);
}

Status make_place(const Engine& parent, OpenedPlace opened, std::unique_ptr<Place>& place) {
  RONDO_ASSIGN(place, Place::make(std::move(opened).mesh(), parent.place().options(),
                                  parent.place().device(), read_cpu_quota()));
  return {};
}

Notice notice_of(const Status& status) {
  return status.ok() ? Notice{} : notice_of(Result<OpenedPlace>(status));
}

/// While ranks connect, all of the old communicator meet in its calls now and then: one that is
/// lost there ends the wait for its connection, and one that can't connect is heard of at once.
class Meetings {
 public:
  enum class Stage : std::uint32_t { kConnecting, kConnected, kFailed };

  explicit Meetings(Engine& parent)
      : parent_(parent),
        timeout_ms_(std::max(parent.place().options().timeout_ms, kPatienceMs)),
        stages_(static_cast<std::size_t>(parent.place().size()), Stage::kConnecting) {}

  /// Every rank is in the same one. Errors: those of the call, which stay; Cancelled where a rank
  /// has failed.
  Status meet(Stage own) {
    auto stages = all_gather(parent_, own, timeout_ms_);
    if (!stages.ok()) return call_ = std::move(stages).status();
    stages_ = std::move(stages).value();
    return has_failed() ? Status(ErrorCode::kCancelled, "another rank can't connect") : Status();
  }
  /// With what came of this rank's connections: until all have theirs, or one can't.
  /// Errors: those of the calls, and those of the first rank that can't.
  Status end(const Status& made) {
    RONDO_TRY(call_);
    // Where others have ended it, this rank has nothing to say.
    const Notice own = has_failed() ? Notice{} : notice_of(made);
    while (!has_failed() && !are_connected()) {
      static_cast<void>(meet(made.ok() ? Stage::kConnected : Stage::kFailed));
      RONDO_TRY(call_);
    }
    if (!has_failed()) return {};
    RONDO_ASSIGN(const auto results, all_gather(parent_, own, timeout_ms_));
    return first_failure(results, "connect");
  }

 private:
  bool has_failed() const { return std::ranges::find(stages_, Stage::kFailed) != stages_.end(); }
  bool are_connected() const {
    return std::ranges::all_of(stages_, [](Stage stage) { return stage == Stage::kConnected; });
  }

  Engine& parent_;
  int timeout_ms_;
  std::vector<Stage> stages_;  ///< by rank, as of the last meeting
  Status call_;
};

}  // namespace

Result<std::shared_ptr<Engine>> split(Engine& parent, std::optional<int> color, int key) {
  const Wish own{color.has_value() ? 1 : 0, color.value_or(0), key};
  RONDO_ASSIGN(const auto wishes, all_gather(parent, own));
  const auto members = members_of(wishes, parent.place().rank());
  std::optional<Result<OpenedPlace>> opened;
  if (color.has_value()) opened = open(parent, members, *color);
  RONDO_ASSIGN(const auto notices,
               all_gather(parent, opened.has_value() ? notice_of(*opened) : Notice{}));
  RONDO_TRY(first_failure(notices, "listen"));
  const CommunicatorOptions& options = parent.place().options();
  std::unique_ptr<Place> place;
  Status made;
  Meetings meetings(parent);
  if (opened.has_value()) {
    made = connect(opened->value(), members, notices, options.join_timeout_ms,
                   [&] { return meetings.meet(Meetings::Stage::kConnecting); });
    if (made.ok()) made = make_place(parent, std::move(**opened), place);
  }
  RONDO_TRY(meetings.end(made));
  if (place == nullptr) return std::shared_ptr<Engine>();
  if (const auto* links = parent.place().layout().links())
    place->use_links(links->restricted_to(members));
  place->use_schedule(parent.place().planner().schedule());
  place->use_tuning(parent.place().planner().tuning());
  return std::make_shared<Engine>(std::move(place), options.progress == "thread");
}

}  // namespace rondo::communicator
