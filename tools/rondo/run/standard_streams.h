#pragma once

namespace rondo::tool {

/// Opens /dev/null in place of those of descriptors 0, 1 and 2 that are closed: what is opened
/// later would become one of them, be taken for it, and be replaced where a rank gets its streams.
/// Before anything else is opened. Errors: RunError.
void open_closed_streams();

}  // namespace rondo::tool
