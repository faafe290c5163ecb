#pragma once

// A table of a library's functions in which one entry fails once: it passes so many calls on, fails
// the next and passes the rest on.

#include <type_traits>

namespace rondo::device {

struct Replacement {
  int calls_before_failure = 0;
  int calls_seen = 0;
  /// It does what it is for, and says that it failed: of what gives something back.
  bool fails_behind = false;

  bool is_its_turn() { return calls_seen++ == calls_before_failure; }
};
inline Replacement replacement;

/// What it fails with, for each library's type of codes.
template <class Code>
inline Code failure{};

/// One replacement for each entry of a table: `Member` tells them apart.
template <auto Member, class Function>
struct Replaced;
template <auto Member, class Code, class... Arguments>
struct Replaced<Member, Code (*)(Arguments...)> {
  static inline Code (*real)(Arguments...) = nullptr;
  static Code call(Arguments... arguments) {
    if (!replacement.is_its_turn()) return real(arguments...);
    if (replacement.fails_behind) (void)real(arguments...);
    return failure<Code>;
  }
};

template <auto Member, class Table>
void replace(Table& table) {
  using Function = std::remove_reference_t<decltype(table.*Member)>;
  Replaced<Member, Function>::real = table.*Member;
  table.*Member = &Replaced<Member, Function>::call;
}

}  // namespace rondo::device
