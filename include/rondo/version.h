#pragma once

#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

/// The library's version, for example "0.1.0"; source compatible within a major version.
RONDO_API const char* version();

}  // namespace v1
}  // namespace rondo
