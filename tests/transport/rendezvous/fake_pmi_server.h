#pragma once

// A launcher that speaks PMI-1 with threads of this process: what Hydra does, and on demand what no
// launcher should. What was put is seen after the next barrier only, and no key is put twice.
// Threads: runs one per process of its job.

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/unique_fd.h"
#include "transport/rendezvous/pmi_endpoint.h"
#include "transport/rendezvous/pmi_message.h"

namespace rondo::rendezvous {

class FakePmiServer {
 public:
  /// Looks at what process `index` says; what to answer instead of what is due ("": nothing), or
  /// nothing to let it be.
  using Mischief = std::function<std::optional<std::string>(int index, const PmiMessage& message)>;
  static constexpr char kHangUp[] = "hang up";

  struct Options {
    int value_bytes = 1024;
    bool at_port = false;
    Mischief mischief{};
  };
  FakePmiServer(int count, Options options);
  explicit FakePmiServer(int count) : FakePmiServer(count, Options{}) {}
  ~FakePmiServer();

  /// The descriptor stays the server's, as that of a launcher stays the process's.
  PmiEndpoint endpoint(int index) const;
  /// The commands that process `index` has said.
  std::vector<std::string> heard(int index) const;
  std::size_t longest_line() const;

 private:
  void listen();
  int own_end(int index);
  void serve(int index);
  bool obey(int fd, int index, const PmiMessage& message);
  std::string answer(int index, const PmiMessage& message);
  std::string put(const PmiMessage& message);
  std::string get(const PmiMessage& message) const;
  void enter_barrier(int fd);

  const int count_;
  const Options options_;
  std::vector<UniqueFd> theirs_;
  std::vector<UniqueFd> ours_;
  UniqueFd listening_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> staged_;
  std::map<std::string, std::string> seen_;
  std::vector<int> in_barrier_;
  std::vector<std::vector<std::string>> heard_;
  std::size_t longest_line_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace rondo::rendezvous
