#include "tools/rondo/run/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace rondo::tool {

Signals::Signals(const std::vector<int>& numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, &before_);
  fd_.reset(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

Signals::~Signals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

int Signals::take() {
  signalfd_siginfo info{};
  if (read(fd_.get(), &info, sizeof info) != sizeof info) return 0;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace rondo::tool
