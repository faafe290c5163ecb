#include "transport/rendezvous/pmi_client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "transport/rendezvous/key_table.h"
#include "transport/rendezvous/pmi_value.h"

namespace rondo::rendezvous {
namespace {

using std::chrono::steady_clock;

/// Shortest that a launcher may allow; all that are known allow keys of 64 and values of 1024.
constexpr int kLeastKeyBytes = 32;
constexpr int kLeastValueBytes = 16;

std::string piece_key(const std::string& name, std::size_t piece) {
  return fmt::format("{}-{}", name, piece);
}

}  // namespace

PmiClient::PmiClient(PmiLink link) : owner_(getpid()), link_(std::move(link)) {}

PmiClient::~PmiClient() {
  // A process forked from the client has nothing to say.
  if (greeted_ && getpid() == owner_) link_.say_goodbye(steady_clock::now() + kGoodbye);
}

Result<std::unique_ptr<PmiClient>> PmiClient::connect(const PmiEndpoint& endpoint,
                                                      Deadline deadline) {
  RONDO_ASSIGN(PmiLink link, PmiLink::open(endpoint, deadline));
  std::unique_ptr<PmiClient> client(new PmiClient(std::move(link)));
  if (endpoint.fd < 0) RONDO_TRY(client->present(endpoint.id, deadline));
  RONDO_TRY(client->greet(deadline));
  RONDO_TRY(client->learn_limits(deadline));
  return client;
}

/// A launcher that listens at a port doesn't know yet whom it has got.
Status PmiClient::present(int id, Deadline deadline) {
  const PmiMessage hello{.command = "initack", .fields = {{"pmiid", std::to_string(id)}}};
  RONDO_TRY(link_.ask(hello, "initack", deadline).status());
  RONDO_ASSIGN(const PmiMessage size, link_.expect("set", deadline));
  RONDO_ASSIGN(const PmiMessage rank, link_.expect("set", deadline));
  RONDO_TRY(link_.expect("set", deadline).status());  // whether a client of MPICH's should print
  Place place;
  RONDO_ASSIGN(place.count, link_.number(size, "size", 1));
  RONDO_ASSIGN(place.index, link_.number(rank, "rank", 0));
  place_ = place;
  if (place.index < place.count) return {};
  return link_.blame(ErrorCode::kDataLoss,
                     fmt::format("says that this is process {} of {}, expected a smaller number",
                                 place.index, place.count));
}

Status PmiClient::greet(Deadline deadline) {
  const PmiMessage hello{.command = "init",
                         .fields = {{"pmi_version", "1"}, {"pmi_subversion", "1"}}};
  RONDO_ASSIGN(const PmiMessage answer, link_.exchange(hello, "response_to_init", deadline));
  const std::string* version = answer.find("pmi_version");
  greeted_ = says_yes(answer) && version != nullptr && *version == "1";
  if (greeted_) return {};
  return link_.blame(ErrorCode::kUnsupported,
                     fmt::format("speaks version {} of PMI, expected '1': use `rondo run`, or a "
                                 "launcher with PMIx",
                                 version != nullptr ? quoted(*version) : "(not said)"));
}

Status PmiClient::learn_limits(Deadline deadline) {
  RONDO_ASSIGN(const PmiMessage maxes, link_.ask({.command = "get_maxes"}, "maxes", deadline));
  RONDO_ASSIGN(const int key_bytes, link_.number(maxes, "keylen_max", kLeastKeyBytes));
  RONDO_ASSIGN(const int value_bytes, link_.number(maxes, "vallen_max", kLeastValueBytes));
  RONDO_ASSIGN(const PmiMessage mine,
               link_.ask({.command = "get_my_kvsname"}, "my_kvsname", deadline));
  const std::string* name = mine.find("kvsname");
  if (name == nullptr || name->empty()) {
    return link_.blame(ErrorCode::kDataLoss, "answers 'my_kvsname' without a name");
  }
  job_name_ = *name;
  most_key_bytes_ = static_cast<std::size_t>(key_bytes) - 1;  // C's terminating zero counts
  return reckon_value_bytes(value_bytes);
}

/// Both a value and the line around it have their limits.
Status PmiClient::reckon_value_bytes(int most) {
  PmiMessage longest = about("put", std::string(most_key_bytes_, 'k'));
  longest.fields.emplace_back("value", "");
  const std::size_t around = encode(longest).size() + 1;
  const std::size_t left = kPmiLineBytes - std::min(around, kPmiLineBytes);
  most_value_bytes_ = std::min(static_cast<std::size_t>(most) - 1, left);
  if (most_value_bytes_ >= kLeastValueBytes - 1) return {};
  return link_.blame(ErrorCode::kUnsupported,
                     fmt::format("leaves {} bytes for a value in a line of {}, expected {}",
                                 most_value_bytes_, kPmiLineBytes, kLeastValueBytes - 1));
}

Status PmiClient::put(const std::string& name, std::string_view bytes, Deadline deadline) {
  RONDO_TRY(check_entry(name, std::string(bytes)));
  const auto pieces = pmi_pieces(bytes, most_value_bytes_);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string key = piece_key(name, i);
    if (key.size() > most_key_bytes_) {
      return link_.blame(ErrorCode::kUnsupported,
                         fmt::format("allows keys of {} bytes, but '{}' has {}", most_key_bytes_,
                                     key, key.size()));
    }
    PmiMessage request = about("put", key);
    request.fields.emplace_back("value", pieces[i]);
    RONDO_TRY(link_.ask(request, "put_result", deadline).status());
  }
  return {};
}

Status PmiClient::barrier(Deadline deadline) {
  const auto start = steady_clock::now();
  Status passed = link_.ask({.command = "barrier_in"}, "barrier_out", deadline).status();
  if (passed.code() != ErrorCode::kTimeout) return passed;
  const std::chrono::duration<double> waited = steady_clock::now() - start;
  return Status(
      ErrorCode::kTimeout,
      fmt::format("not every process of the job has come to the barrier of {} within {:.3g} s, and "
                  "PMI doesn't tell which are missing: look for one that ended early or never "
                  "makes a communicator, or allow more time",
                  link_.launcher(), waited.count()));
}

Result<std::optional<std::string>> PmiClient::get(const std::string& name, Deadline deadline) {
  PmiPieces pieces;
  for (std::size_t i = 0; !pieces.complete(); ++i) {
    const std::string key = piece_key(name, i);
    RONDO_ASSIGN(const PmiMessage answer,
                 link_.exchange(about("get", key), "get_result", deadline));
    if (i == 0 && !says_yes(answer)) return std::optional<std::string>();
    const std::string* value = says_yes(answer) ? answer.find("value") : nullptr;
    if (value == nullptr) {
      return link_.blame(ErrorCode::kDataLoss,
                         fmt::format("has lost the value of '{}' ({})", key, refusal(answer)));
    }
    RONDO_TRY(pieces.add(*value));
  }
  RONDO_ASSIGN(std::string bytes, pieces.take());
  return std::optional<std::string>(std::move(bytes));
}

PmiMessage PmiClient::about(const char* command, const std::string& key) const {
  return {.command = command, .fields = {{"kvsname", job_name_}, {"key", key}}};
}

}  // namespace rondo::rendezvous
