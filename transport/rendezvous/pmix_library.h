#pragma once

// The functions of libpmix that Rondo calls, found at run time. Threads: load is thread-safe.

#include <pmix.h>

#include <string>

#include "core/status.h"

namespace rondo::rendezvous {

struct PmixLibrary {
  decltype(&PMIx_Init) init = nullptr;
  decltype(&PMIx_Finalize) finalize = nullptr;
  decltype(&PMIx_Put) put = nullptr;
  decltype(&PMIx_Commit) commit = nullptr;
  decltype(&PMIx_Fence_nb) fence_nb = nullptr;
  decltype(&PMIx_Get_nb) get_nb = nullptr;
  decltype(&PMIx_Error_string) error_string = nullptr;

  /// Opens libpmix; it stays open until the process ends. Errors: Unsupported.
  static Result<PmixLibrary> load();

  /// "<what>: <what PMIx says>"
  Status error(const std::string& what, pmix_status_t status) const;
};

}  // namespace rondo::rendezvous
