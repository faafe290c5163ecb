#pragma once

// The ranks that this process contributes, and the few things that they do together outside of
// training.

#include <cstdint>
#include <vector>

#include "rondo/communicator.h"

namespace rondo::examples {

class World {
 public:
  /// Joins the launcher's world with `places` ranks.
  explicit World(int places);

  int size() const { return communicators_.front().size(); }
  /// This process's first rank; its others follow.
  int first_rank() const { return communicators_.front().rank(); }
  int places() const { return static_cast<int>(communicators_.size()); }
  /// One process of the world prints.
  bool prints() const { return first_rank() == 0; }

  /// The smallest `value` of all processes.
  std::int64_t smallest(std::int64_t value);

  const Communicator& first() const { return communicators_.front(); }
  std::vector<Communicator>& communicators() { return communicators_; }

 private:
  std::vector<Communicator> communicators_;
};

}  // namespace rondo::examples
