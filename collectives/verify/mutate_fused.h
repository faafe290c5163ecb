#pragma once

// The mutations of mutate.h that are done to a fused world.

#include <random>

#include "collectives/verify/mutate.h"

namespace rondo::verify {

/// `mutation` is kAddDirect or kReorderFused; empty where no place for it was found.
FusedWorld mutate_fused(const World& world, Mutation mutation, std::minstd_rand& random);

}  // namespace rondo::verify
