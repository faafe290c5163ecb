#include "tools/rondo/trace/covered_time.h"

#include <algorithm>
#include <iterator>

namespace rondo::tool {

CoveredTime::CoveredTime(std::vector<TimeSpan> spans) {
  std::ranges::sort(spans, {}, &TimeSpan::begin_ns);
  for (const TimeSpan& span : spans) {
    if (pieces_.empty()) {
      pieces_.push_back({span, 0});
      continue;
    }
    Piece& last = pieces_.back();
    if (span.begin_ns <= last.span.end_ns) {
      last.span.end_ns = std::max(last.span.end_ns, span.end_ns);
    } else {
      pieces_.push_back({span, last.before_ns + last.span.end_ns - last.span.begin_ns});
    }
  }
}

std::int64_t CoveredTime::within_ns(std::int64_t begin_ns, std::int64_t end_ns) const {
  return begin_ns < end_ns ? until_ns(end_ns) - until_ns(begin_ns) : 0;
}

std::int64_t CoveredTime::until_ns(std::int64_t instant_ns) const {
  const auto begin_of = [](const Piece& piece) { return piece.span.begin_ns; };
  const auto behind = std::ranges::upper_bound(pieces_, instant_ns, {}, begin_of);
  if (behind == pieces_.begin()) return 0;
  const Piece& piece = *std::prev(behind);
  return piece.before_ns + std::min(instant_ns, piece.span.end_ns) - piece.span.begin_ns;
}

}  // namespace rondo::tool
