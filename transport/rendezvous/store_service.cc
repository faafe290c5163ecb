#include "transport/rendezvous/store_service.h"

namespace rondo::rendezvous {
namespace {

Reply failed(const Status& status) { return {.code = status.code(), .message = status.message()}; }

Reply replied(const Status& status) { return status.ok() ? Reply{} : failed(status); }

}  // namespace

std::optional<Reply> StoreService::handle(ClientId client, const Request& request) {
  if (request.kind == RequestKind::kWait || request.kind == RequestKind::kWatch) {
    std::string awaited;
    auto reply = answer_waiting(request, awaited);
    if (!reply) park(client, request, awaited);
    return reply;
  }
  return answer(client, request);
}

std::optional<Reply> StoreService::answer(ClientId client, const Request& request) {
  if (request.kind == RequestKind::kEnterGather) {
    gathering_.insert(client);
    return Reply{};
  }
  if (request.kind == RequestKind::kLeaveGather) {
    gathering_.erase(client);
    return Reply{};
  }
  if (request.kind == RequestKind::kRemove) {
    for (const auto& key : request.keys) keys_.remove(key);
    return Reply{};
  }
  const std::string& key = request.keys.front();
  if (request.kind == RequestKind::kGet) {
    const std::string* held = keys_.find(key);
    return held ? Reply{.values = {*held}} : Reply{};
  }
  Reply reply;
  if (request.kind == RequestKind::kSet) {
    reply = replied(keys_.set(key, request.value));
  } else if (request.kind == RequestKind::kAdd) {
    const auto number = keys_.add(key, request.delta);
    reply = number.ok() ? Reply{.number = *number} : failed(number.status());
  } else {
    const auto held = keys_.compare_set(key, request.expected, request.value);
    reply = held.ok() ? Reply{.values = {*held}} : failed(held.status());
  }
  key_changed(key);
  return reply;
}

std::optional<Reply> StoreService::answer_waiting(const Request& request,
                                                  std::string& awaited) const {
  for (const auto& key : request.keys) {
    const std::string* held = keys_.find(key);
    const bool seen = request.kind == RequestKind::kWatch && held && request.expected == *held;
    if (held && !seen) continue;
    awaited = key;
    return std::nullopt;
  }
  return Reply{.values = keys_.values(request.keys)};
}

Reply StoreService::expire(ClientId client) {
  const Request request = unpark(client);
  std::string awaited;
  if (auto reply = answer_waiting(request, awaited)) return *reply;
  if (request.kind == RequestKind::kWatch) return failed(value_unchanged(awaited));
  Reply reply{.code = ErrorCode::kTimeout};
  reply.values = keys_.missing(request.keys);
  return reply;
}

void StoreService::drop(ClientId client) {
  unpark(client);
  gathering_.erase(client);
}

void StoreService::park(ClientId client, Request request, const std::string& awaited) {
  waiting_for_.emplace(awaited, client);
  parked_[client] = {std::move(request), awaited};
}

Request StoreService::unpark(ClientId client) {
  const auto entry = parked_.find(client);
  if (entry == parked_.end()) return {};
  const auto [first, last] = waiting_for_.equal_range(entry->second.awaited);
  for (auto waiting = first; waiting != last; ++waiting) {
    if (waiting->second != client) continue;
    waiting_for_.erase(waiting);
    break;
  }
  Request request = std::move(entry->second.request);
  parked_.erase(entry);
  return request;
}

void StoreService::key_changed(const std::string& key) {
  std::vector<ClientId> clients;
  const auto [first, last] = waiting_for_.equal_range(key);
  for (auto waiting = first; waiting != last; ++waiting) clients.push_back(waiting->second);
  waiting_for_.erase(first, last);
  for (const ClientId client : clients) {
    Parked parked = std::move(parked_.at(client));
    parked_.erase(client);
    std::string awaited;
    auto reply = answer_waiting(parked.request, awaited);
    if (reply) {
      ready_.emplace_back(client, std::move(*reply));
    } else {
      park(client, std::move(parked.request), awaited);
    }
  }
}

}  // namespace rondo::rendezvous
