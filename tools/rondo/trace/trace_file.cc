#include "tools/rondo/trace/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "core/json/reader.h"
#include "core/trace/chrome_export.h"

namespace rondo::tool {
namespace {

using nlohmann::json;

/// Nine years. Differences of differences of instants, on clocks that are moved, still have room.
constexpr std::int64_t kLatestNs = std::int64_t{1} << 58;
constexpr int kLargestWorld = 65'536;
constexpr int kFormatVersion = 1;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(fmt::format("{} is no trace of Rondo's: {}", path, why));
}

/// Refuses, before anything is built, what would only cost memory: no event is deeper than its
/// arguments, has more than a few dozen of them, or is anything but an object. And what is no JSON.
class Guard final : public nlohmann::json_sax<json> {
 public:
  bool null() override { return value(); }
  bool boolean(bool /*value*/) override { return value(); }
  bool number_integer(number_integer_t /*value*/) override { return value(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return value(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return value(); }
  bool string(string_t& /*value*/) override { return value(); }
  bool binary(binary_t& /*value*/) override { return value(); }

  bool start_object(std::size_t /*size*/) override {
    if (depth_ == 0) return fail("expected an array of events");
    if (depth_ == 1) names_ = 0;
    if (depth_ == 1 && ++events_ > kMostEvents)
      return fail(fmt::format("more than {} events", kMostEvents));
    return open();
  }
  bool start_array(std::size_t /*size*/) override {
    return depth_ == 1 ? fail("expected events that are objects") : open();
  }
  bool key(string_t& /*name*/) override {
    return ++names_ <= kMostNames || fail("an event of too many parts");
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& error) override {
    is_range_ = dynamic_cast<const json::out_of_range*>(&error) != nullptr;
    position_ = position;
    return false;
  }

  /// Of what was refused.
  std::string why(std::string_view text) const {
    if (!why_.empty()) return why_;
    if (is_range_) return "a number is out of range";
    return fmt::format("not JSON at {}", rondo::json::line_and_column(text, position_));
  }

 private:
  static constexpr int kMostDepth = 4;
  static constexpr std::size_t kMostNames = 64;
  static constexpr std::size_t kMostEvents = 4 * 65'536 + 64;

  bool fail(std::string why) {
    why_ = std::move(why);
    return false;
  }
  bool value() {
    if (depth_ == 0) return fail("expected an array of events");
    if (depth_ == 1) return fail("expected events that are objects");
    return ++values_ <= kMostEvents * kMostNames || fail("too many values");
  }
  bool open() { return depth_++ <= kMostDepth || fail("nested deeper than an event can be"); }
  bool close() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  std::size_t names_ = 0;
  std::size_t events_ = 0;
  std::size_t values_ = 0;
  std::string why_;
  std::size_t position_ = 0;
  bool is_range_ = false;
};

/// The arguments of one event, with the file and the event named in whatever is wrong with them.
class Arguments {
 public:
  Arguments(const std::string& path, std::size_t index, const json& event)
      : path_(path), index_(index) {
    const auto found = event.find("args");
    if (found == event.end() || !found->is_object()) fail("it has no \"args\"");
    arguments_ = &*found;
  }

  std::int64_t integer(const char* name, std::int64_t lowest, std::int64_t highest) const {
    const auto found = arguments_->find(name);
    if (found == arguments_->end()) fail(fmt::format("\"{}\" is missing", name));
    const bool fits = found->is_number_integer() &&
                      (!found->is_number_unsigned() ||
                       found->get<std::uint64_t>() <= static_cast<std::uint64_t>(highest));
    const std::int64_t value = fits ? found->get<std::int64_t>() : 0;
    if (fits && value >= lowest && value <= highest) return value;
    fail(fmt::format("\"{}\" must be an integer from {} to {}", name, lowest, highest));
  }
  int rank(const char* name, int lowest, int world) const {
    return static_cast<int>(integer(name, lowest, world - 1));
  }
  std::string text(const char* name) const {
    const auto found = arguments_->find(name);
    if (found == arguments_->end() || !found->is_string() ||
        found->get_ref<const std::string&>().size() > trace::kMostTextBytes)
      fail(fmt::format("\"{}\" must be a text of at most {} bytes", name, trace::kMostTextBytes));
    std::string text = found->get<std::string>();
    // It is shown as it is, in lines of a table.
    std::ranges::replace_if(
        text, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
    return text;
  }
  [[noreturn]] void fail(const std::string& why) const {
    refuse(path_, fmt::format("event {}: {}", index_, why));
  }

 private:
  const std::string& path_;
  std::size_t index_;
  const json* arguments_ = nullptr;
};

std::string text_of(const json& event, const char* name) {
  const auto found = event.find(name);
  return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void check_order(const TracedCall& call, const Arguments& arguments) {
  if (call.entered_ns > call.begun_ns || call.begun_ns > call.done_ns)
    arguments.fail("it was done before it began");
  if (call.wait_ns + call.transfer_ns + call.reduce_ns != call.done_ns - call.begun_ns)
    arguments.fail("wait, transfer and reduce don't add up to its time");
}

TracedCall call_of(const json& event, const Arguments& arguments, int world) {
  TracedCall call;
  call.collective = text_of(event, "name");
  call.result = arguments.text("result");
  call.root = arguments.rank("root", 0, world);
  call.count = arguments.integer("count", 0, kLatestNs);
  const auto instant = [&](const char* name) {
    return arguments.integer(name, -kLatestNs, kLatestNs);
  };
  const auto duration = [&](const char* name) { return arguments.integer(name, 0, kLatestNs); };
  call.entered_ns = instant("entered_ns");
  call.begun_ns = instant("begun_ns");
  call.done_ns = instant("done_ns");
  call.wait_ns = duration("wait_ns");
  call.transfer_ns = duration("transfer_ns");
  call.reduce_ns = duration("reduce_ns");
  call.waited_longest_for = arguments.rank("waited_longest_for", -1, world);
  call.link_peer = arguments.rank("link_peer", -1, world);
  call.link_ns = duration("link_ns");
  call.link_bytes = duration("link_bytes");
  check_order(call, arguments);
  return call;
}

TimeSpan message_of(const Arguments& arguments) {
  const TimeSpan span{arguments.integer("entered_ns", -kLatestNs, kLatestNs),
                      arguments.integer("done_ns", -kLatestNs, kLatestNs)};
  if (span.end_ns < span.begin_ns) arguments.fail("it was done before it was entered");
  return span;
}

void take_owner(RankTrace& trace, const Arguments& arguments) {
  const std::int64_t version = arguments.integer("version", 1, kLatestNs);
  if (version != kFormatVersion)
    arguments.fail(
        fmt::format("format version {}, where this program reads {}: use the `rondo` of "
                    "the library that wrote it",
                    version, kFormatVersion));
  trace.world = static_cast<int>(arguments.integer("world", 1, kLargestWorld));
  trace.rank = arguments.rank("rank", 0, trace.world);
  trace.host = arguments.text("host");
  trace.clock = arguments.text("clock");
  trace.job = arguments.text("job");
  trace.error = arguments.text("error");
  // Of a host that doesn't tell which clock it has, each rank's is taken for one of its own.
  if (trace.clock.empty()) trace.clock = fmt::format("rank {}", trace.rank);
}

/// What is used when ranks are merged is, as far as it is there, of its kind.
void check_parts(const std::string& path, std::size_t index, const json& event) {
  const auto check = [&](const char* name, bool (json::*is_right)() const, const char* expected) {
    const auto found = event.find(name);
    if (found != event.end() && !((*found).*is_right)())
      refuse(path, fmt::format("event {}: \"{}\" must be {}", index, name, expected));
  };
  check("name", &json::is_string, "a text");
  check("args", &json::is_object, "an object");
  check("ts", &json::is_number, "a number");
  check("dur", &json::is_number, "a number");
}

json parse_events(const std::string& path, const std::string& text) {
  Guard guard;
  if (!json::sax_parse(text, &guard)) refuse(path, guard.why(text));
  return json::parse(text);
}

}  // namespace

RankTrace parse_trace(const std::string& path, const std::string& text) {
  RankTrace trace;
  trace.path = path;
  trace.events = parse_events(path, text);
  if (trace.events.empty() || text_of(trace.events.front(), "name") != "rondo")
    refuse(path,
           "its first event isn't the one called \"rondo\", which says whose calls these are");
  take_owner(trace, Arguments(path, 0, trace.events.front()));
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const json& event = trace.events[i];
    check_parts(path, i, event);
    if (text_of(event, "cat") != "call") continue;
    const Arguments arguments(path, i, event);
    const std::int64_t sequence = arguments.integer("sequence", 0, kLatestNs);
    if (sequence == 0) {
      trace.messages.push_back(message_of(arguments));
      continue;
    }
    if (!trace.calls.emplace(sequence, call_of(event, arguments, trace.world)).second)
      arguments.fail(fmt::format("call #{} is there for a second time", sequence));
  }
  return trace;
}

}  // namespace rondo::tool
