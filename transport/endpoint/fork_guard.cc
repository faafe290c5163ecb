#include "transport/endpoint/fork_guard.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <mutex>
#include <set>
#include <utility>

namespace rondo::transport {
namespace {

std::mutex guards_mutex;
pid_t forking = 0;  // who forks, which its child can't ask; under the mutex

/// Never destroyed: a program may fork while it ends.
std::set<const ForkGuard*>& guards() {
  static auto& all = *new std::set<const ForkGuard*>;
  return all;
}

/// `nobody` is a socket that is connected to nobody, or -1: there is none yet.
void replace(int descriptor, int& nobody) {
  if (nobody >= 0) {
    // A limit may have been lowered below the number since.
    if (::dup3(nobody, descriptor, O_CLOEXEC) < 0) ::close(descriptor);
    return;
  }
  // There is a number for it then, however few this process may have.
  ::close(descriptor);
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return;
  if (made != descriptor) {
    ::dup3(made, descriptor, O_CLOEXEC);
    ::close(made);
  }
  nobody = descriptor;
}

}  // namespace

Status ForkGuard::prepare() {
  guards();  // the child can't make it
  static const int registered = ::pthread_atfork(
      [] {
        guards_mutex.lock();
        forking = ::getpid();
      },
      [] { guards_mutex.unlock(); },
      [] {
        give_up_in_child();
        guards_mutex.unlock();
      });
  return registered == 0 ? Status() : system_error("watching for fork", registered);
}

ForkGuard::ForkGuard(std::vector<int> descriptors) : descriptors_(std::move(descriptors)) {
  const std::lock_guard lock(guards_mutex);
  guards().insert(this);
}

ForkGuard::~ForkGuard() {
  const std::lock_guard lock(guards_mutex);
  guards().erase(this);
}

/// In the child's only thread, which may be a copy of one that was anywhere: nothing is allocated.
/// The numbers stay taken, since their owners use and close them. What a child has of its parent's
/// guards tells nothing of what it has under these numbers when it forks itself.
void ForkGuard::give_up_in_child() {
  int nobody = -1;
  for (const ForkGuard* guard : guards()) {
    if (guard->owner_ != forking) continue;
    for (const int descriptor : guard->descriptors_) replace(descriptor, nobody);
  }
}

}  // namespace rondo::transport
