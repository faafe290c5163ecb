#include "tests/launch/foreign_memory.h"

#include <dlfcn.h>
#include <rondo/allocator.h>
#include <rondo/communicator.h>
#include <rondo/device_plugin.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "tests/collectives/communicator/own_device.h"

namespace rondo::launch {
namespace {

/// As the plug-in would register it.
rondo_device_table table_of_plugin() {
  void* const plugin = ::dlopen(std::getenv("RONDO_DEVICE_PLUGINS"), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) throw std::runtime_error(::dlerror());
  const auto entry = reinterpret_cast<int (*)(const rondo_plugin_registry*)>(
      ::dlsym(plugin, "rondo_device_plugin"));
  rondo_device_table table{};
  rondo_plugin_registry registry{};
  registry.size = sizeof(registry);
  registry.context = &table;
  registry.add_device = [](void* context, const rondo_device_table* given) {
    *static_cast<rondo_device_table*>(context) = *given;
    return 0;
  };
  registry.add_reduce_kernel = [](void*, const char*, const char*, const char*,
                                  rondo_reduce_kernel) { return 0; };
  registry.add_collectives = [](void*, const char*, const rondo_collective_table*) { return 0; };
  entry(&registry);
  return table;
}

Allocator allocator_of(const rondo_device_table& table) {
  const auto allocate = [table](Device device, std::size_t bytes) -> void* {
    constexpr std::size_t kAligned = 4096;
    if (device == Device::host())
      return std::aligned_alloc(kAligned, (bytes + kAligned - 1) / kAligned * kAligned);
    void* memory = nullptr;
    return table.allocate(device.index, bytes, &memory) == 0 ? memory : nullptr;
  };
  const auto release = [table](Device device, void* memory, std::size_t) {
    if (device == Device::host()) return std::free(memory);
    table.deallocate(device.index, memory);
  };
  return {allocate, release};
}

/// In memory of its own, which is gone afterwards: the next may be at its address.
float sum_of(Communicator& world, const rondo_device_table& table, float own) {
  constexpr std::size_t kCount = 100'000;
  std::vector<float> data(kCount, own);
  void* memory = nullptr;
  const int index = world.device().index;
  if (table.allocate(index, kCount * sizeof(float), &memory) != 0) return 0;
  table.copy(index, memory, data.data(), kCount * sizeof(float));
  world.all_reduce({memory, kCount, DataType::kF32, world.device()});
  table.copy(index, data.data(), memory, kCount * sizeof(float));
  table.deallocate(index, memory);
  return data.back();
}

}  // namespace

int foreign_memory() {
  const rondo_device_table table = table_of_plugin();
  set_allocator(allocator_of(table));
  Communicator world = Communicator::create({}, testing::own_device());
  const auto rank = static_cast<float>(world.rank());
  const float first = sum_of(world, table, 0.25F + rank);
  const float second = sum_of(world, table, 1.25F + rank);
  std::printf("rank %d of %d: foreign sums %.2f and %.2f over %s\n", world.rank(), world.size(),
              static_cast<double>(first), static_cast<double>(second),
              std::string(world.last_call().transport).c_str());
  return 0;
}

}  // namespace rondo::launch
