#pragma once

// Gives each rank of this machine a core of its own, where `rondo run` started the ranks and there
// are enough cores. mpirun and srun bind their ranks themselves.

namespace rondo::tool {

/// This process's number among those of its machine, as far as the launcher tells; else 0.
int local_rank();

/// True if the calling thread (and every thread it starts) now has one core.
bool bind_to_own_core();

}  // namespace rondo::tool
