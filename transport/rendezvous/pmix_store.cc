#include "transport/rendezvous/pmix_store.h"

#include <charconv>
#include <numeric>
#include <utility>

#include "transport/rendezvous/gather.h"
#include "transport/rendezvous/key_table.h"

namespace rondo::rendezvous {
namespace {

using std::chrono::steady_clock;

/// How long PMIx gets to find out that it doesn't know a value.
constexpr std::chrono::seconds kLookup{1};
/// The same for a value that a fence has brought: it is there, but the machine may be busy.
constexpr std::chrono::seconds kSpread{30};

Status unsupported(const std::string& what) {
  return Status(ErrorCode::kUnsupported,
                "the launcher's PMIx store has no " + what +
                    ": gather what every process knows, or start the processes with `rondo run`");
}

struct OwnedKey {
  std::string name{};
  int owner = 0;
};

/// The parts of a key "name/index".
Result<OwnedKey> split_key(const std::string& key) {
  RONDO_TRY(check_key(key));
  const auto slash = key.rfind('/');
  OwnedKey owned{.name = key.substr(0, slash)};
  if (slash != std::string::npos) {
    const char* end = key.data() + key.size();
    const auto [stop, error] = std::from_chars(key.data() + slash + 1, end, owned.owner);
    if (error == std::errc{} && stop == end && owned.owner >= 0) return owned;
  }
  return unsupported("key '" + key + "' without a process's index as its last part");
}

std::vector<int> all_of(int world) {
  std::vector<int> indices(static_cast<std::size_t>(world));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

}  // namespace

Status PmixStore::set(const std::string& key, const std::string& value) {
  RONDO_TRY(check_entry(key, value));
  RONDO_ASSIGN(const OwnedKey owned, split_key(key));
  if (owned.owner != client_.index()) return unsupported("way to set the key of another process");
  return client_.put(owned.name, value);
}

Result<std::optional<std::string>> PmixStore::get(const std::string& key) {
  return get_until(key, steady_clock::now() + kLookup);
}

Result<std::optional<std::string>> PmixStore::get_until(const std::string& key, Deadline deadline) {
  RONDO_ASSIGN(const OwnedKey owned, split_key(key));
  RONDO_ASSIGN(auto values, client_.get({owned.owner}, owned.name, deadline));
  return std::move(values.front());
}

Result<std::vector<std::string>> PmixStore::wait(const std::vector<std::string>& keys,
                                                 Deadline deadline) {
  std::vector<std::string> values;
  std::vector<std::string> absent;
  for (const auto& key : keys) {
    RONDO_ASSIGN(auto value, get_until(key, deadline));
    if (value) {
      values.push_back(std::move(*value));
    } else {
      absent.push_back(key);
    }
  }
  if (!absent.empty()) return keys_missing(absent);
  return values;
}

Result<std::int64_t> PmixStore::add(const std::string&, std::int64_t) {
  return unsupported("shared number (add)");
}

Result<std::string> PmixStore::compare_set(const std::string&, const std::optional<std::string>&,
                                           const std::string&) {
  return unsupported("compare_set");
}

Status PmixStore::remove(const std::vector<std::string>&) { return unsupported("remove"); }

Result<std::string> PmixStore::watch(const std::string&, const std::optional<std::string>&,
                                     Deadline) {
  return unsupported("watch");
}

Result<std::vector<std::string>> PmixStore::all_gather(const std::string& key, int index, int world,
                                                       const std::string& value,
                                                       Deadline deadline) {
  RONDO_TRY(set(gathered_key(key, index), value));
  const Status fenced = client_.fence(deadline);
  if (fenced.code() == ErrorCode::kTimeout) {
    RONDO_ASSIGN(const std::vector<int> absent, missing(key, world));
    if (!absent.empty()) return not_all_came(key, world, absent);
  }
  RONDO_TRY(fenced);
  RONDO_ASSIGN(auto values, client_.get(all_of(world), key, steady_clock::now() + kSpread));
  std::vector<std::string> gathered;
  for (auto& known : values) {
    if (!known)
      return Status(ErrorCode::kSystem, "PMIx lost '" + key + "' of a process on its way");
    gathered.push_back(std::move(*known));
  }
  return gathered;
}

Result<std::vector<int>> PmixStore::missing(const std::string& key, int world) {
  RONDO_ASSIGN(const auto values, client_.get(all_of(world), key, steady_clock::now() + kLookup));
  std::vector<int> absent;
  for (int index = 0; index < world; ++index) {
    if (!values[static_cast<std::size_t>(index)]) absent.push_back(index);
  }
  return absent;
}

}  // namespace rondo::rendezvous
