#pragma once

// A client of TcpStoreServer. Operations without a deadline of their own give up after
// kAnswerDeadline; a broken connection stays broken (PeerLost), for its server was the world's.
// Threads: one at a time per object.

#include <chrono>
#include <memory>

#include "transport/rendezvous/store.h"
#include "transport/rendezvous/tcp_store_link.h"

namespace rondo::rendezvous {

class TcpStore final : public Store {
 public:
  static constexpr std::chrono::seconds kAnswerDeadline{30};

  /// Errors: as TcpStoreLink::connect.
  static Result<std::unique_ptr<TcpStore>> connect(const StoreAddress& address, std::uint64_t job,
                                                   Deadline deadline);

  Status set(const std::string& key, const std::string& value) override;
  Result<std::optional<std::string>> get(const std::string& key) override;
  Result<std::vector<std::string>> wait(const std::vector<std::string>& keys,
                                        Deadline deadline) override;
  Result<std::int64_t> add(const std::string& key, std::int64_t delta) override;
  Result<std::string> compare_set(const std::string& key,
                                  const std::optional<std::string>& expected,
                                  const std::string& desired) override;
  Status remove(const std::vector<std::string>& keys) override;
  Result<std::string> watch(const std::string& key, const std::optional<std::string>& seen,
                            Deadline deadline) override;
  Result<std::vector<std::string>> all_gather(const std::string& key, int index, int world,
                                              const std::string& value, Deadline deadline) override;

 private:
  explicit TcpStore(std::unique_ptr<TcpStoreLink> link) : link_(std::move(link)) {}
  /// The server's answer; its errors as a Status, but for a wait's Timeout.
  Result<Reply> ask(Request request);
  Result<Reply> ask_until(Request request, Deadline deadline);

  std::unique_ptr<TcpStoreLink> link_;
};

}  // namespace rondo::rendezvous
