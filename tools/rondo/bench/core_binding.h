#pragma once

// Gives each rank of this machine a core of its own, where `rondo run` started the ranks and there
// are enough cores. mpirun and srun bind their ranks themselves.

namespace rondo::tool {

/// True if the calling thread (and every thread it starts) now has one core.
bool bind_to_own_core();

}  // namespace rondo::tool
