#pragma once

// NCCL's library, opened at run time.
// Threads: any.

#include <string>
#include <vector>

#include "core/device/cuda/nccl/table.h"
#include "core/status.h"

namespace rondo::device {

/// Where it is looked for, in order: what RONDO_NCCL names (files, or folders that have it, with
/// ':' between them) and nothing else; without, where the loader finds libraries, and the packages
/// of the Python environment that is active (VIRTUAL_ENV, CONDA_PREFIX).
std::vector<std::string> nccl_library_paths();

/// Opens the first that can be opened, for good. Errors: Unsupported: there is none, a function is
/// missing, or it is too old. What it says names the remedy.
Result<NcclTable> load_nccl_table(const std::vector<std::string>& paths);

/// "2.28.7".
std::string nccl_version_text(int version);

/// The version of `table`'s library. Errors: Unsupported (too old), Device.
Result<int> nccl_version(const NcclTable& table);

}  // namespace rondo::device
