#include "transport/rendezvous/tcp_store.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "transport/rendezvous/key_table.h"

namespace rondo::rendezvous {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// What is left, rounded up so that the server doesn't give up early.
std::uint32_t left_ms(Deadline deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
  constexpr milliseconds::rep kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<milliseconds::rep>(left, 0, kMost));
}

Status refused(const Reply& reply) { return Status(reply.code, reply.message); }

/// As many together as one request may name.
std::vector<std::vector<std::string>> in_requests(const std::vector<std::string>& keys) {
  std::vector<std::vector<std::string>> requests;
  for (auto begin = keys.begin(); begin != keys.end();) {
    const auto count = std::min<std::ptrdiff_t>(kMaxRequestKeys, keys.end() - begin);
    requests.emplace_back(begin, begin + count);
    begin += count;
  }
  return requests;
}

Status check_entries(const Request& request) {
  for (const auto& key : request.keys) RONDO_TRY(check_key(key));
  if (request.keys.empty()) return {};
  RONDO_TRY(check_entry(request.keys.front(), request.value));
  return check_entry(request.keys.front(), request.expected.value_or(""));
}

}  // namespace

Result<std::unique_ptr<TcpStore>> TcpStore::connect(const StoreAddress& address, std::uint64_t job,
                                                    Deadline deadline) {
  auto link = std::make_unique<TcpStoreLink>(address);
  RONDO_TRY(link->connect(job, deadline));
  return std::unique_ptr<TcpStore>(new TcpStore(std::move(link)));
}

Result<Reply> TcpStore::ask(Request request) {
  return ask_until(std::move(request), steady_clock::now());
}

Result<Reply> TcpStore::ask_until(Request request, Deadline deadline) {
  RONDO_TRY(check_entries(request));
  request.timeout_ms = left_ms(deadline);
  // The server keeps the time of a wait, as it knows what is missing; ours is for one that hangs.
  const Deadline given_up =
      steady_clock::now() + milliseconds(request.timeout_ms) + kAnswerDeadline;
  RONDO_ASSIGN(Reply reply, link_->exchange(request, given_up));
  const bool keys_missing = request.kind == RequestKind::kWait && !reply.values.empty();
  if (reply.code != ErrorCode::kOk && !keys_missing) return refused(reply);
  return reply;
}

Status TcpStore::set(const std::string& key, const std::string& value) {
  return ask({.kind = RequestKind::kSet, .keys = {key}, .value = value}).status();
}

Result<std::optional<std::string>> TcpStore::get(const std::string& key) {
  RONDO_ASSIGN(Reply reply, ask({.kind = RequestKind::kGet, .keys = {key}}));
  if (reply.values.empty()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(reply.values.front()));
}

Result<std::vector<std::string>> TcpStore::wait(const std::vector<std::string>& keys,
                                                Deadline deadline) {
  std::vector<std::string> values;
  std::vector<std::string> absent;
  for (auto& some : in_requests(keys)) {
    const std::size_t count = some.size();
    RONDO_ASSIGN(Reply reply,
                 ask_until({.kind = RequestKind::kWait, .keys = std::move(some)}, deadline));
    const bool timed_out = reply.code == ErrorCode::kTimeout;
    if (!timed_out && reply.values.size() != count) {
      return Status(ErrorCode::kDataLoss, "the store answered for other keys than asked");
    }
    std::ranges::move(reply.values, std::back_inserter(timed_out ? absent : values));
  }
  if (!absent.empty()) return keys_missing(absent);
  return values;
}

Result<std::int64_t> TcpStore::add(const std::string& key, std::int64_t delta) {
  RONDO_ASSIGN(Reply reply, ask({.kind = RequestKind::kAdd, .keys = {key}, .delta = delta}));
  return reply.number;
}

Result<std::string> TcpStore::compare_set(const std::string& key,
                                          const std::optional<std::string>& expected,
                                          const std::string& desired) {
  Request request{.kind = RequestKind::kCompareSet, .keys = {key}, .value = desired};
  request.expected = expected;
  RONDO_ASSIGN(Reply reply, ask(std::move(request)));
  return reply.values.empty() ? std::string() : std::move(reply.values.front());
}

Status TcpStore::remove(const std::vector<std::string>& keys) {
  for (auto& some : in_requests(keys))
    RONDO_TRY(ask({.kind = RequestKind::kRemove, .keys = std::move(some)}).status());
  return {};
}

Result<std::string> TcpStore::watch(const std::string& key, const std::optional<std::string>& seen,
                                    Deadline deadline) {
  Request request{.kind = RequestKind::kWatch, .keys = {key}, .expected = seen};
  RONDO_ASSIGN(Reply reply, ask_until(std::move(request), deadline));
  return reply.values.empty() ? std::string() : std::move(reply.values.front());
}

Result<std::vector<std::string>> TcpStore::all_gather(const std::string& key, int index, int world,
                                                      const std::string& value, Deadline deadline) {
  RONDO_TRY(ask({.kind = RequestKind::kEnterGather}).status());
  auto values = Store::all_gather(key, index, world, value, deadline);
  // Whether the server still hears that we are done makes no difference to what we have got.
  (void)ask({.kind = RequestKind::kLeaveGather}).status();
  return values;
}

}  // namespace rondo::rendezvous
