#include "core/device/plugin/registry.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/device/plugin/collectives.h"
#include "core/device/plugin/table.h"
#include "core/dtype.h"
#include "core/environment.h"

namespace rondo::device {
namespace {

constexpr const char* kVariable = "RONDO_DEVICE_PLUGINS";
constexpr const char* kEntryPoint = "rondo_device_plugin";
constexpr std::array<std::string_view, 3> kOwnKinds = {"host", "emulated", "cuda"};

/// Kept for good: streams and memory of static objects may outlive any order of destruction.
struct Registry {
  std::mutex mutex;
  std::deque<std::unique_ptr<PluginDriver>> drivers;
};
Registry& registry() {
  static Registry& made = *new Registry();
  return made;
}

/// Nobody is left to be told what comes of it.
void finalize_plugins() {
  const std::lock_guard lock(registry().mutex);
  for (const auto& driver : registry().drivers)
    if (driver->table().finalize != nullptr) driver->table().finalize();
}

/// What a plug-in registers while it is loaded.
struct Loading {
  std::deque<std::unique_ptr<PluginDriver>> drivers;
  Status failure;

  int fail(Status status) {
    if (failure.ok()) failure = std::move(status);
    return 1;
  }
  PluginDriver* find(std::string_view kind) const {
    for (const auto& driver : drivers) {
      if (driver->name() == kind) return driver.get();
    }
    return nullptr;
  }
};

Status refuse(std::string why) { return Status(ErrorCode::kInvalidArgument, std::move(why)); }

/// The driver stays, whose functions are called to the end.
Status initialize(const rondo_device_table& table) {
  if (table.initialize != nullptr) {
    const Status status = plugin_status(table, kNoDevice, "initialize", table.initialize());
    if (!status.ok()) return refuse(status.message());
  }
  static const bool kWillFinalize = std::atexit(finalize_plugins) == 0;
  return kWillFinalize ? Status() : Status(ErrorCode::kSystem, "atexit takes no more functions");
}

/// All of them, or none: where one fails, those before it are finalized.
Status initialize(const Loading& loading) {
  for (std::size_t i = 0; i < loading.drivers.size(); ++i) {
    Status status = initialize(loading.drivers[i]->table());
    if (status.ok()) continue;
    for (std::size_t before = i; before-- > 0;) {
      const rondo_device_table& table = loading.drivers[before]->table();
      if (table.finalize != nullptr) static_cast<void>(table.finalize());
    }
    return status;
  }
  return {};
}

Status add(Loading& loading, const rondo_device_table* given) {
  if (given == nullptr) return refuse("add_device was given no table");
  RONDO_ASSIGN(const rondo_device_table table, checked_table(*given));
  const std::string_view kind = table.kind;
  const bool own = std::find(kOwnKinds.begin(), kOwnKinds.end(), kind) != kOwnKinds.end();
  if (own || plugin_driver(kind) != nullptr || loading.find(kind) != nullptr)
    return refuse(fmt::format("there are devices of kind {} already", kind));
  const std::size_t number = registry().drivers.size() + loading.drivers.size();
  if (number == kMostPluginKinds)
    return refuse(fmt::format("there may be {} kinds of devices at most", kMostPluginKinds));
  const auto value = static_cast<std::size_t>(kFirstPluginKind) + number;
  loading.drivers.push_back(std::make_unique<PluginDriver>(static_cast<DeviceKind>(value), table));
  return {};
}

int add_device(void* context, const rondo_device_table* table) {
  auto& loading = *static_cast<Loading*>(context);
  Status status = add(loading, table);
  return status.ok() ? 0 : loading.fail(std::move(status));
}

/// A kernel of another spelling would never be found, and calls go by way of the host without a
/// word. (A plug-in of a newer header may know more than this one.)
Status check_kernel(const PluginDriver& driver, const char* type, const char* op) {
  if (driver.table().minor_version > RONDO_DEVICE_PLUGIN_MINOR) return {};
  Status known = parse_data_type(type).status();
  if (known.ok()) known = parse_reduce_op(op).status();
  if (known.ok()) return known;
  return refuse(
      fmt::format("a reduce kernel for devices of kind {}: {}", driver.name(), known.message()));
}

int add_reduce_kernel(void* context, const char* kind, const char* type, const char* op,
                      rondo_reduce_kernel kernel) {
  auto& loading = *static_cast<Loading*>(context);
  if (kind == nullptr || type == nullptr || op == nullptr || kernel == nullptr)
    return loading.fail(refuse("add_reduce_kernel was given a null pointer"));
  PluginDriver* const driver = loading.find(kind);
  if (driver == nullptr)
    return loading.fail(
        refuse(fmt::format("a kernel for devices of kind {}, which hasn't been "
                           "added",
                           kind)));
  Status known = check_kernel(*driver, type, op);
  if (!known.ok()) return loading.fail(std::move(known));
  driver->add_reduce_kernel(type, op, kernel);
  return 0;
}

int add_collectives(void* context, const char* kind, const rondo_collective_table* table) {
  auto& loading = *static_cast<Loading*>(context);
  if (kind == nullptr || table == nullptr)
    return loading.fail(refuse("add_collectives was given a null pointer"));
  PluginDriver* const driver = loading.find(kind);
  if (driver == nullptr) {
    return loading.fail(
        refuse(fmt::format("collectives for devices of kind {}, which hasn't been added", kind)));
  }
  auto checked = checked_collectives(*table);
  if (!checked.ok()) return loading.fail(std::move(checked).status());
  driver->add_collectives(*checked);
  return 0;
}

Status in_plugin(const char* path, const Status& status) {
  return Status(status.code(), fmt::format("{}={}: {}", kVariable, path, status.message()));
}

Status load(const char* path) {
  // Never closed: its code may run until the process is gone.
  void* const object = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) return Status(ErrorCode::kSystem, ::dlerror());
  using Entry = int (*)(const rondo_plugin_registry*);
  const auto entry = reinterpret_cast<Entry>(::dlsym(object, kEntryPoint));
  if (entry == nullptr)
    return refuse(fmt::format("it doesn't export {}: is it a plug-in of Rondo's?", kEntryPoint));
  Loading loading;
  const rondo_plugin_registry given{.size = sizeof(given),
                                    .context = &loading,
                                    .add_device = &add_device,
                                    .add_reduce_kernel = &add_reduce_kernel,
                                    .add_collectives = &add_collectives};
  const int code = entry(&given);
  RONDO_TRY(loading.failure);
  if (code != 0) return refuse(fmt::format("{} failed ({})", kEntryPoint, code));
  if (loading.drivers.empty()) return refuse("it added no device");
  RONDO_TRY(initialize(loading));
  const std::lock_guard lock(registry().mutex);
  for (auto& driver : loading.drivers) registry().drivers.push_back(std::move(driver));
  return {};
}

}  // namespace

Status load_plugin(const char* path) {
  const Status status = load(path);
  return status.ok() ? status : in_plugin(path, status);
}

Status load_plugins() {
  static const Status& outcome = *new Status([]() -> Status {
    const std::string paths = environment_text(kVariable).value_or("");
    for (std::size_t begin = 0; begin < paths.size();) {
      const std::size_t end = std::min(paths.find(':', begin), paths.size());
      const std::string path = paths.substr(begin, end - begin);
      if (!path.empty()) RONDO_TRY(load_plugin(path.c_str()));
      begin = end + 1;
    }
    return {};
  }());
  return outcome;
}

PluginDriver* plugin_driver(DeviceKind kind) {
  const std::lock_guard lock(registry().mutex);
  const int number = static_cast<int>(kind) - static_cast<int>(kFirstPluginKind);
  const auto& drivers = registry().drivers;
  if (number < 0 || static_cast<std::size_t>(number) >= drivers.size()) return nullptr;
  return drivers[static_cast<std::size_t>(number)].get();
}

PluginDriver* plugin_driver(std::string_view name) {
  const std::lock_guard lock(registry().mutex);
  for (const auto& driver : registry().drivers) {
    if (driver->name() == name) return driver.get();
  }
  return nullptr;
}

}  // namespace rondo::device
