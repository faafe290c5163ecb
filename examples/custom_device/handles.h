#pragma once

// The handles of the table, and what they stand for here.

#include <rondo/device_plugin.h>

#include <cstring>
#include <type_traits>

#include "examples/custom_device/event.h"
#include "examples/custom_device/stream.h"

namespace custom_cpu {

inline Stream* own(rondo_plugin_stream stream) { return reinterpret_cast<Stream*>(stream); }
inline Event* own(rondo_plugin_event event) { return reinterpret_cast<Event*>(event); }
inline rondo_plugin_event handle_of(Event* event) {
  return reinterpret_cast<rondo_plugin_event>(event);
}

/// What goes to other processes, in the bytes that the table has for it.
template <typename Handle, typename Name>
void pack(const Name& name, Handle& handle) {
  static_assert(std::is_trivially_copyable_v<Name> && sizeof(name) <= sizeof(handle.bytes));
  handle = {};
  std::memcpy(handle.bytes, &name, sizeof(name));
}

template <typename Name, typename Handle>
Name unpacked(const Handle& handle) {
  Name name;
  std::memcpy(&name, handle.bytes, sizeof(name));
  return name;
}

}  // namespace custom_cpu
