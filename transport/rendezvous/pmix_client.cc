#include "transport/rendezvous/pmix_client.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "transport/rendezvous/pmix_library.h"

namespace rondo::rendezvous {
namespace {

/// What a PMIx callback leaves behind. Kept alive by the callback too: PMIx may call after the
/// waiter has given up.
struct Answer {
  std::mutex mutex;
  std::condition_variable arrived;
  bool done = false;
  pmix_status_t status = PMIX_SUCCESS;
  std::string value;

  /// False where it hasn't come by the deadline.
  bool wait(Deadline deadline) {
    std::unique_lock lock(mutex);
    return arrived.wait_until(lock, deadline, [this] { return done; });
  }
  void settle(pmix_status_t outcome, std::string bytes) {
    const std::lock_guard lock(mutex);
    done = true;
    status = outcome;
    value = std::move(bytes);
    arrived.notify_all();
  }
};
using SharedAnswer = std::shared_ptr<Answer>;

void* as_callback_data(const SharedAnswer& answer) { return new SharedAnswer(answer); }

std::unique_ptr<SharedAnswer> take_callback_data(void* data) {
  return std::unique_ptr<SharedAnswer>(static_cast<SharedAnswer*>(data));
}

void on_fence(pmix_status_t status, void* data) { (*take_callback_data(data))->settle(status, {}); }

void on_value(pmix_status_t status, pmix_value_t* value, void* data) {
  std::string bytes;
  if (status == PMIX_SUCCESS && value && value->type == PMIX_BYTE_OBJECT) {
    bytes.assign(value->data.bo.bytes, value->data.bo.size);
  }
  (*take_callback_data(data))->settle(status, std::move(bytes));
}

pmix_info_t flag(const char* name) {
  pmix_info_t info{};
  std::strncpy(info.key, name, PMIX_MAX_KEYLEN);
  info.value.type = PMIX_BOOL;
  info.value.data.flag = true;
  return info;
}

class Client final : public PmixClient {
 public:
  explicit Client(PmixLibrary library) : pmix_(library) {}
  ~Client() override {
    // A process forked from the client has no connection of its own to end.
    if (connected_ && getpid() == owner_) pmix_.finalize(nullptr, 0);
  }

  Status connect();
  int index() const override { return static_cast<int>(self_.rank); }
  const std::string& job_name() const override { return job_name_; }
  Status put(const std::string& key, const std::string& value) override;
  Status fence(Deadline deadline) override;
  Result<std::vector<std::optional<std::string>>> get(const std::vector<int>& indices,
                                                      const std::string& key,
                                                      Deadline deadline) override;

 private:
  Result<SharedAnswer> ask(int index, const std::string& key);

  const PmixLibrary pmix_;
  const pid_t owner_ = getpid();
  bool connected_ = false;
  pmix_proc_t self_{};
  std::string job_name_;
  std::set<std::string> published_;
};

Status Client::connect() {
  // PMIx starts a thread: signals belong to the application's own.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pmix_status_t status = pmix_.init(&self_, nullptr, 0);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (status != PMIX_SUCCESS) return pmix_.error("cannot reach the launcher's PMIx server", status);
  connected_ = true;
  job_name_ = self_.nspace;
  return {};
}

Status Client::put(const std::string& key, const std::string& value) {
  if (!published_.insert(key).second) {
    return Status(ErrorCode::kUnsupported,
                  "'" + key + "' is published already, and PMIx can't change it: use a new name");
  }
  std::string bytes = value;
  pmix_value_t published{};
  published.type = PMIX_BYTE_OBJECT;
  published.data.bo.bytes = bytes.data();
  published.data.bo.size = bytes.size();
  pmix_status_t status = pmix_.put(PMIX_GLOBAL, key.c_str(), &published);
  if (status == PMIX_SUCCESS) status = pmix_.commit();
  if (status == PMIX_SUCCESS) return {};
  return pmix_.error("cannot publish '" + key + "'", status);
}

Status Client::fence(Deadline deadline) {
  const auto answer = std::make_shared<Answer>();
  const pmix_info_t collect = flag(PMIX_COLLECT_DATA);
  void* data = as_callback_data(answer);
  const pmix_status_t status = pmix_.fence_nb(nullptr, 0, &collect, 1, on_fence, data);
  if (status == PMIX_OPERATION_SUCCEEDED) {
    take_callback_data(data);
    return {};
  }
  if (status != PMIX_SUCCESS) {
    take_callback_data(data);
    return pmix_.error("cannot wait for the other processes", status);
  }
  if (!answer->wait(deadline)) {
    return Status(ErrorCode::kTimeout, "not all processes of the job have come in time");
  }
  if (answer->status == PMIX_SUCCESS) return {};
  return pmix_.error("waiting for the other processes failed", answer->status);
}

Result<SharedAnswer> Client::ask(int index, const std::string& key) {
  auto answer = std::make_shared<Answer>();
  pmix_proc_t owner = self_;
  owner.rank = static_cast<pmix_rank_t>(index);
  void* data = as_callback_data(answer);
  const pmix_status_t status = pmix_.get_nb(&owner, key.c_str(), nullptr, 0, on_value, data);
  if (status == PMIX_SUCCESS) return answer;
  take_callback_data(data);
  return pmix_.error(fmt::format("cannot ask for '{}' of process {}", key, index), status);
}

Result<std::vector<std::optional<std::string>>> Client::get(const std::vector<int>& indices,
                                                            const std::string& key,
                                                            Deadline deadline) {
  std::vector<SharedAnswer> answers;
  for (const int index : indices) {
    RONDO_ASSIGN(SharedAnswer answer, ask(index, key));
    answers.push_back(std::move(answer));
  }
  std::vector<std::optional<std::string>> values;
  for (const auto& answer : answers) {
    const bool known = answer->wait(deadline) && answer->status == PMIX_SUCCESS;
    values.push_back(known ? std::optional<std::string>(answer->value) : std::nullopt);
  }
  return values;
}

}  // namespace

Result<PmixClient*> PmixClient::instance() {
  // Lives until the process ends: the launcher counts a client that leaves without finalising as
  // a failure. A failed connection is kept too; the launcher doesn't change under us.
  static const Result<std::unique_ptr<Client>> client = []() -> Result<std::unique_ptr<Client>> {
    RONDO_ASSIGN(PmixLibrary library, PmixLibrary::load());
    auto connected = std::make_unique<Client>(library);
    RONDO_TRY(connected->connect());
    return connected;
  }();
  RONDO_TRY(client.status());
  return static_cast<PmixClient*>(client.value().get());
}

}  // namespace rondo::rendezvous
