#include "tools/rondo/run/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "tools/rondo/run/run_error.h"

namespace rondo::tool {

void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest that is free: all before are open.
    if (open("/dev/null", O_RDWR) != stream) throw system_failure("cannot open /dev/null", errno);
  }
}

}  // namespace rondo::tool
