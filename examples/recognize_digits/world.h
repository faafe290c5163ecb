#pragma once

// The ranks that this process contributes, and the few things that they do together outside of
// training.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
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

  /// Every rank's `text`, in the order of ranks; the ranks of a process have one text.
  std::vector<std::string> gather(const std::string& text);

  const Communicator& first() const { return communicators_.front(); }
  std::vector<Communicator>& communicators() { return communicators_; }

 private:
  /// Calls `act` for each place at once: each one's call of a collective waits for the others'.
  void on_every_place(const std::function<void(std::size_t place)>& act);

  std::vector<Communicator> communicators_;
};

}  // namespace rondo::examples
