#pragma once

// A list that allocates only when it holds more than it ever did: what is taken out leaves its node
// to what comes next. Items stay where they are. Threads: one at a time.

#include <cstddef>
#include <list>
#include <utility>

namespace rondo {

template <typename T>
class SteadyList {
 public:
  using Iterator = typename std::list<T>::iterator;

  void push(T item) {
    if (spare_.empty()) spare_.emplace_front();
    spare_.front() = std::move(item);
    items_.splice(items_.end(), spare_, spare_.begin());
  }
  /// What the item owns goes at once, its node stays.
  void erase(Iterator position) {
    *position = T();
    spare_.splice(spare_.begin(), items_, position);
  }
  void pop() { erase(items_.begin()); }

  T& front() { return items_.front(); }
  const T& front() const { return items_.front(); }
  T& back() { return items_.back(); }
  const T& back() const { return items_.back(); }
  auto begin() { return items_.begin(); }
  auto begin() const { return items_.begin(); }
  auto end() { return items_.end(); }
  auto end() const { return items_.end(); }
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }

 private:
  std::list<T> items_;
  std::list<T> spare_;  ///< nodes alone
};

}  // namespace rondo
