#pragma once

// Whole collectives by the library that a plug-in brings.

#include <memory>
#include <string>

#include "core/device/collective_library.h"
#include "core/device/plugin/driver.h"
#include "core/status.h"
#include "rondo/device_plugin.h"

namespace rondo::device {

/// A copy, whole: what an older one doesn't know is null. Errors: InvalidArgument, naming what is
/// missing.
Result<rondo_collective_table> checked_collectives(const rondo_collective_table& table);

/// The table has been checked; what it points to stays. The driver, whose devices they are, is
/// borrowed.
std::unique_ptr<CollectiveLibrary> adapt_plugin(const PluginDriver& driver,
                                                const rondo_collective_table& table);

}  // namespace rondo::device
