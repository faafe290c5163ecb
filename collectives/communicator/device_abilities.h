#pragma once

// What the devices of all ranks can do, by what each rank has told of its own: the same answer on
// every rank. Hosts may have several versions of a plug-in; what one of them lacks, nobody uses.
// Pure.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/device/reductions.h"
#include "transport/mesh/mesh.h"

namespace rondo::communicator {

struct DeviceAbilities {
  bool sees_host_memory = true;
  bool shares_between_processes = true;
  bool imports_own = true;
  device::Reductions reductions{};  ///< that there are kernels for
};

/// Of all `ranks`, of which there is one at least.
DeviceAbilities common_abilities(std::span<const transport::RankInfo> ranks);

/// Where all are on devices of one kind, and some can do what others can't: which ranks, what it
/// is, and what there is to do. Else empty.
std::string differing_abilities(std::span<const transport::RankInfo> ranks);

/// "ranks 0, 1, 3": the first few of them.
std::string text_of_ranks(const std::vector<std::size_t>& ranks);

}  // namespace rondo::communicator
