#include "examples/custom_device/meeting.h"

#include <map>
#include <mutex>

#include "examples/custom_device/patience.h"

namespace custom_cpu {
namespace {

/// Of this process.
struct Known {
  std::mutex mutex;
  /// That it has arranged: others find them as long as they are open here.
  std::map<std::uint64_t, std::unique_ptr<SharedFile>> arranged;
  std::map<std::uint64_t, std::weak_ptr<Meeting>> found;
};
Known& known() {
  static Known& made = *new Known();
  return made;
}

std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

}  // namespace

std::optional<FileName> Meeting::arrange() {
  auto file = SharedFile::create(sizeof(Table));
  if (file == nullptr) return std::nullopt;
  const FileName name = file->name();
  const std::lock_guard lock(known().mutex);
  known().arranged[name.inode] = std::move(file);
  return name;
}

std::shared_ptr<Meeting> Meeting::find(const FileName& name) {
  const std::lock_guard lock(known().mutex);
  std::weak_ptr<Meeting>& kept = known().found[name.inode];
  std::shared_ptr<Meeting> meeting = kept.lock();
  if (meeting != nullptr) return meeting;
  Mapping memory = Mapping::open(name, 0, sizeof(Table));
  if (memory.data() == nullptr) return nullptr;
  meeting = std::make_shared<Meeting>(name, std::move(memory));
  kept = meeting;
  return meeting;
}

void Meeting::join() { ++table().joined; }

bool Meeting::is_complete(int world) const {
  if (table().joined < static_cast<std::uint32_t>(world)) return false;
  hide();
  return true;
}

void Meeting::hide() const {
  const std::lock_guard lock(known().mutex);
  known().arranged.erase(name_.inode);
}

void Meeting::lay_down(int rank, const Share& share) { table().shares[at(rank)] = share; }

const Share& Meeting::share(int rank) const { return table().shares[at(rank)]; }

bool Meeting::wait_for_all(int rank, int world) {
  const std::uint64_t turn = ++table().came[at(rank)];
  const auto all_came = [&] {
    for (std::size_t peer = 0; peer < at(world); ++peer)
      if (table().came[peer] < turn) return false;
    return true;
  };
  return wait_until(all_came, [this] { return given_up(); });
}

Letter& Meeting::letter(int from, int to) { return table().letters[at(from)][at(to)]; }

void Meeting::give_up() { table().given_up = 1; }

bool Meeting::given_up() const { return table().given_up != 0; }

}  // namespace custom_cpu
