#pragma once

#include <cstdint>

namespace rondo {

/// 64 bits from the kernel's generator, for names and numbers that nobody can guess.
/// Errors: throws std::system_error, where a sandbox forbids getrandom. Threads: any.
std::uint64_t random_bits();

}  // namespace rondo
