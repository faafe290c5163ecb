#include "core/trace/prometheus.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/trace/chrome_export.h"

namespace rondo::trace {
namespace {

constexpr double kSecondsPerNs = 1e-9;

class Text {
 public:
  Text(int rank, const std::string& job)
      : own_labels_(fmt::format("rank=\"{}\",job={}", rank, quoted(job))) {}

  void family(const char* name, const char* type, const char* help) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  template <typename Value>
  void sample(const std::string& labels, const Value& value, const char* suffix = "") {
    text_ += fmt::format("{}{}{{{},{}}} {}\n", name_, suffix, own_labels_, labels, value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string own_labels_;
  const char* name_ = "";
  std::string text_;
};

std::string labels_of(const Series& series) {
  return fmt::format("collective={},algorithm={},transport={}", quoted(series.collective),
                     quoted(series.algorithm), quoted(series.transport));
}

std::string labels_of(const PeerTotals& peer) {
  return fmt::format("peer=\"{}\",transport={}", peer.peer, quoted(peer.transport));
}

void counters(Text& text, const std::vector<const Series*>& list) {
  struct Counter {
    const char* name;
    Total Series::*total;
    const char* help;
  };
  constexpr Counter kCounters[] = {
      {"rondo_calls_total", &Series::calls, "Calls that have ended, well or not."},
      {"rondo_errors_total", &Series::errors, "Calls that ended with an error."},
      {"rondo_bytes_total", &Series::bytes, "Bytes of the larger buffer of each call."}};
  for (const Counter& counter : kCounters) {
    text.family(counter.name, "counter", counter.help);
    for (const Series* series : list)
      text.sample(labels_of(*series), (series->*counter.total).value());
  }
}

void split(Text& text, const std::vector<const Series*>& list, double ns_per_tick) {
  text.family("rondo_seconds_total", "counter",
              "Time of calls by part: wait (for a peer), transfer, reduce (kernels).");
  for (const Series* series : list) {
    const auto part = [&](const char* name, const Total& ticks) {
      text.sample(fmt::format("{},part=\"{}\"", labels_of(*series), name),
                  static_cast<double>(ticks.value()) * ns_per_tick * kSecondsPerNs);
    };
    part("wait", series->wait);
    part("transfer", series->transfer);
    part("reduce", series->reduce);
  }
}

/// From the call, or its start, to its end.
void latencies(Text& text, const std::vector<const Series*>& list, double ns_per_tick) {
  text.family("rondo_call_seconds", "histogram", "Time from call, or start, to the end.");
  for (const Series* series : list) {
    std::uint64_t count = 0;
    std::uint64_t bound_ns = kFirstBucketNs;
    for (std::size_t i = 0; i < kBuckets; ++i, bound_ns *= 4) {
      count += series->buckets[i].value();
      const std::string bound =
          i + 1 == kBuckets ? "+Inf"
                            : fmt::format("{}", static_cast<double>(bound_ns) * kSecondsPerNs);
      text.sample(fmt::format("{},le=\"{}\"", labels_of(*series), bound), count, "_bucket");
    }
    text.sample(labels_of(*series),
                static_cast<double>(series->latency.value()) * ns_per_tick * kSecondsPerNs, "_sum");
    text.sample(labels_of(*series), count, "_count");
  }
}

void traffic(Text& text, const std::vector<PeerTotals>& peers) {
  text.family("rondo_peer_sent_bytes_total", "counter", "Payload sent to a peer.");
  for (const PeerTotals& peer : peers) text.sample(labels_of(peer), peer.sent_bytes);
  text.family("rondo_peer_received_bytes_total", "counter", "Payload received from a peer.");
  for (const PeerTotals& peer : peers) text.sample(labels_of(peer), peer.received_bytes);
  text.family("rondo_peer_wait_seconds_total", "counter",
              "Time of calls in which this peer was waited for longest, as far as it was waited.");
  for (const PeerTotals& peer : peers) text.sample(labels_of(peer), peer.wait_seconds);
}

}  // namespace

std::string prometheus_text(int rank, const std::string& job,
                            const std::vector<const Series*>& series,
                            const std::vector<PeerTotals>& peers, double ns_per_tick) {
  Text text(rank, job);
  std::vector<const Series*> used;
  std::ranges::copy_if(series, std::back_inserter(used),
                       [](const Series* one) { return one->calls.value() > 0; });
  counters(text, used);
  split(text, used, ns_per_tick);
  latencies(text, used, ns_per_tick);
  traffic(text, peers);
  return text.take();
}

}  // namespace rondo::trace
