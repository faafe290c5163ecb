#include "rondo/version.h"

namespace rondo {
inline namespace v1 {

const char* version() { return RONDO_VERSION; }

}  // namespace v1
}  // namespace rondo
