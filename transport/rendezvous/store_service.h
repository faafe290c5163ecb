#pragma once

// The server's side of the store without its sockets: answers requests from a KeyTable and keeps
// those that have to wait. A request waits on one key at a time (its first missing one), so a
// changed key costs only those who wait for it.
// Pure: the caller owns time and connections. Threads: one at a time.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "transport/rendezvous/key_table.h"
#include "transport/rendezvous/store_message.h"

namespace rondo::rendezvous {

using ClientId = std::uint64_t;

class StoreService {
 public:
  /// The reply, or nothing while the request has to wait: its reply comes by take_ready, or by
  /// expire. A client has one request at a time.
  std::optional<Reply> handle(ClientId client, const Request& request);
  /// Replies to requests that waited for what earlier requests have set.
  std::vector<std::pair<ClientId, Reply>> take_ready() { return std::exchange(ready_, {}); }
  /// The waiting client's time is over: what it gets (its answer after all, or Timeout).
  Reply expire(ClientId client);
  /// The client is gone.
  void drop(ClientId client);
  /// Clients between kEnterGather and kLeaveGather.
  std::size_t gathering() const { return gathering_.size(); }

 private:
  std::optional<Reply> answer(ClientId client, const Request& request);
  /// Answers `request` or names the key that it waits for.
  std::optional<Reply> answer_waiting(const Request& request, std::string& awaited) const;
  void park(ClientId client, Request request, const std::string& awaited);
  Request unpark(ClientId client);
  void key_changed(const std::string& key);

  struct Parked {
    Request request;
    std::string awaited;
  };
  KeyTable keys_;
  std::unordered_map<ClientId, Parked> parked_;
  std::unordered_multimap<std::string, ClientId> waiting_for_;
  std::unordered_set<ClientId> gathering_;
  std::vector<std::pair<ClientId, Reply>> ready_;
};

}  // namespace rondo::rendezvous
