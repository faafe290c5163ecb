#include "transport/shm/shared_view.h"

#include <map>
#include <mutex>
#include <utility>

namespace rondo::transport {
namespace {

SharedView share(Mapping mapping) {
  auto owner = std::make_shared<Mapping>(std::move(mapping));
  std::byte* memory = owner->data();
  return {std::move(owner), memory};
}

std::mutex own_mutex;
std::map<FileId, std::weak_ptr<std::byte>>& own_files() {
  static auto& files = *new std::map<FileId, std::weak_ptr<std::byte>>;
  return files;
}

}  // namespace

Result<SharedView> map_own(int fd, std::size_t bytes) {
  RONDO_ASSIGN(const FileId file, file_id(fd));
  RONDO_ASSIGN(Mapping mapping, Mapping::map(fd, 0, bytes, Mapping::Access::kReadWrite));
  SharedView view = share(std::move(mapping));
  const std::lock_guard lock(own_mutex);
  std::erase_if(own_files(), [](const auto& entry) { return entry.second.expired(); });
  own_files()[file] = view;
  return view;
}

Result<SharedView> view_of(int fd, std::size_t offset, std::size_t bytes, Mapping::Access access) {
  RONDO_ASSIGN(const FileId file, file_id(fd));
  {
    const std::lock_guard lock(own_mutex);
    const auto own = own_files().find(file);
    if (own != own_files().end()) {
      if (SharedView whole = own->second.lock()) return SharedView(whole, whole.get() + offset);
    }
  }
  RONDO_ASSIGN(Mapping mapping, Mapping::map(fd, offset, bytes, access));
  return share(std::move(mapping));
}

}  // namespace rondo::transport
