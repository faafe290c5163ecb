#include "core/device/plugin/left_behind.h"

#include <algorithm>
#include <utility>

namespace rondo::device {

void LeftBehind::add(std::function<bool()> is_at_rest, Action destroy) {
  const std::lock_guard lock(mutex_);
  at_work_.push_back(std::move(is_at_rest));
  later_.push_back(std::move(destroy));
}

void LeftBehind::give_back(Action action) {
  {
    const std::lock_guard lock(mutex_);
    later_.push_back(std::move(action));
  }
  give_back_due();
}

void LeftBehind::give_back_due() {
  std::vector<Action> due;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(at_work_, [](const auto& is_at_rest) { return is_at_rest(); });
    if (at_work_.empty()) due.swap(later_);
  }
  for (const Action& act : due) act();
}

}  // namespace rondo::device
