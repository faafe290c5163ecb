#pragma once

#include <string>

namespace rondo::rendezvous {

/// Whether `host` is this host's name, short or with its domain; "localhost" is every host's and
/// none of them. Threads: thread-safe.
bool is_own_name(const std::string& host);

}  // namespace rondo::rendezvous
