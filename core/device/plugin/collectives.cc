#include "core/device/plugin/collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "core/device/plugin/communicator.h"
#include "core/device/plugin/table.h"

namespace rondo::device {
namespace {

/// All that the first version had, whatever has been added since.
constexpr std::size_t kLeastBytes =
    offsetof(rondo_collective_table, end_group) + sizeof(rondo_collective_table::end_group);

Status refuse(std::string why) { return Status(ErrorCode::kInvalidArgument, std::move(why)); }

Status check_required(const rondo_collective_table& t) {
  std::vector<const char*> missing;
  if (t.reduces == nullptr) missing.push_back("reduces");
  if (t.make_id == nullptr) missing.push_back("make_id");
  if (t.join == nullptr) missing.push_back("join");
  if (t.abort == nullptr) missing.push_back("abort");
  if (t.leave == nullptr) missing.push_back("leave");
  if (missing.empty()) return {};
  return refuse(
      fmt::format("{} is missing: every library of collectives has it", fmt::join(missing, ", ")));
}

Status check_pairs(const rondo_collective_table& t) {
  if ((t.send == nullptr) != (t.receive == nullptr))
    return refuse("send and receive of a table are there both or neither");
  if ((t.begin_group == nullptr) != (t.end_group == nullptr))
    return refuse("begin_group and end_group of a table are there both or neither");
  if (t.send != nullptr && t.begin_group == nullptr)
    return refuse("messages without groups wait for each other: begin_group is missing");
  return {};
}

class PluginLibrary final : public CollectiveLibrary {
 public:
  PluginLibrary(const PluginDriver& driver, const rondo_collective_table& table)
      : driver_(driver), table_(table), version_(table.version) {
    table_.version = version_.c_str();
  }

  std::string_view name() const override { return driver_.name(); }
  std::string version() const override { return version_; }
  bool needs_own_device() const override { return table_.needs_own_device != 0; }
  bool has(LibraryFunction function) const override;
  bool reduces(DataType type, ReduceOp op) const override {
    return table_.reduces(to_string(type), to_string(op)) != 0;
  }
  Result<LibraryId> make_id() override;
  Result<std::unique_ptr<LibraryCommunicator>> join(int device, const LibraryId& id, int rank,
                                                    int world) override {
    return PluginCommunicator::join(driver_, table_, {device, rank, world}, id);
  }

 private:
  const PluginDriver& driver_;
  rondo_collective_table table_;
  std::string version_;
};

bool PluginLibrary::has(LibraryFunction function) const {
  switch (function) {
    case LibraryFunction::kAllReduce: return table_.all_reduce != nullptr;
    case LibraryFunction::kReduce: return table_.reduce != nullptr;
    case LibraryFunction::kBroadcast: return table_.broadcast != nullptr;
    case LibraryFunction::kAllGather: return table_.all_gather != nullptr;
    case LibraryFunction::kReduceScatter: return table_.reduce_scatter != nullptr;
    case LibraryFunction::kMessages: return table_.send != nullptr;
    case LibraryFunction::kGroups: return table_.begin_group != nullptr;
  }
  return false;
}

Result<LibraryId> PluginLibrary::make_id() {
  rondo_plugin_id native{};
  RONDO_TRY(driver_.called(kNoDevice, "make_id", table_.make_id(&native)));
  LibraryId id;
  static_assert(sizeof(id.bytes) == sizeof(native.bytes));
  std::memcpy(id.bytes.data(), native.bytes, sizeof(native.bytes));
  return id;
}

}  // namespace

Result<rondo_collective_table> checked_collectives(const rondo_collective_table& table) {
  if (table.size < kLeastBytes || !ends_between_entries(table.size)) {
    return refuse(
        fmt::format("its table of collectives has {} bytes, the first version had {}, and entries "
                    "have {} each: was size set?",
                    table.size, kLeastBytes, sizeof(void*)));
  }
  rondo_collective_table whole{};
  std::memcpy(&whole, &table, std::min(table.size, sizeof(whole)));
  if (whole.version == nullptr || *whole.version == '\0')
    return refuse("its table of collectives has no version");
  RONDO_TRY(check_required(whole));
  RONDO_TRY(check_pairs(whole));
  return whole;
}

std::unique_ptr<CollectiveLibrary> adapt_plugin(const PluginDriver& driver,
                                                const rondo_collective_table& table) {
  return std::make_unique<PluginLibrary>(driver, table);
}

}  // namespace rondo::device
