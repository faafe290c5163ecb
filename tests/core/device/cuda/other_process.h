#pragma once

#include "core/device/shared_handle.h"

namespace rondo::device {

/// What a process of its own has exported on the acted driver's first device, which lives as long
/// as this one. It is forked before the first test: this process has no other threads yet.
struct Exported {
  SharedHandle memory{};
  SharedHandle event{};
};
const Exported& exported_by_other_process();

}  // namespace rondo::device
