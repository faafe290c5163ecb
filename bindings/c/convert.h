#pragma once

// C's values as C++'s, checked. All throw InvalidArgument, naming the field, what is allowed and
// what came.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "rondo/call.h"
#include "rondo/communicator.h"
#include "rondo/rondo.h"

namespace rondo::c {

/// `what` begins messages. By reference: what C hands over may be no enumerator, which C++ must not
/// look at as one.
DataType type_of(const rondo_type& type, const char* what = "type");
Collective collective_of(const rondo_kind& kind, const char* what = "kind");
/// Of the blocking forms, which have no factor and no function.
Reduction reduction_of(const rondo_op& op);
/// Of a call that reduces, whose op is checked.
Reduction reduction_of(const rondo_call& call);
void check_op(const rondo_call& call);

/// Null: all defaults.
CommunicatorOptions options_of(const rondo_config* config);
Device device_of(const rondo_config* config);
/// `what` begins messages.
Device device_of(const rondo_device& device, const char* what);

/// What C has written there may be no enumerator: as the number that it is.
template <typename Enumeration>
std::int32_t number_of(const Enumeration& value) {
  std::int32_t number = 0;
  static_assert(sizeof value == sizeof number);
  std::memcpy(&number, &value, sizeof number);
  return number;
}
/// That it is `least` to `most`. `what`: "rondo_call.kind"; `enumeration`: "rondo_kind".
void check_enumerator(std::int32_t number, std::int32_t least, std::int32_t most, const char* what,
                      const char* enumeration);

/// A text for a caller with `room` bytes, the 0 at its end included; cut off where it is longer.
/// `needed` (may be null): the room for all of it. `out` may be null where `room` is 0.
void hand_text(const std::string& text, char* out, std::size_t room, std::size_t* needed);

/// Structs say how large their caller's header made them. An older one, smaller, has zeros for what
/// was added since; a newer one, larger, has fields that this library doesn't know: where they are
/// zero they ask for nothing.
bool is_older(std::size_t size, std::size_t own, std::size_t least);
void check_newer(std::size_t size, std::size_t own, const void* begin, const char* what);
/// The same of a struct that is to be filled in: what is in it doesn't matter.
void check_room(std::size_t size, std::size_t own, std::size_t least, const char* what);

/// `given` as this library has it: itself, or a copy in `room` of an older one. `least`: what even
/// the oldest header has.
template <typename Struct>
const Struct* known(const Struct* given, Struct& room, std::size_t least, const char* what) {
  if (given->size == sizeof(Struct)) return given;
  if (is_older(given->size, sizeof(Struct), least)) {
    room = Struct{};
    std::memcpy(&room, given, given->size);
    return &room;
  }
  check_newer(given->size, sizeof(Struct), given, what);
  return given;
}

/// Fills in what the caller's header has of `made`, whose size is `out`'s, checked; zeros where
/// that header has more.
template <typename Struct>
void fill_in(const Struct& made, Struct* out) {
  const std::size_t size = out->size;
  auto* const bytes = reinterpret_cast<std::byte*>(out);
  const std::size_t known = std::min(size, sizeof(Struct));
  std::memcpy(bytes, &made, known);
  std::memset(bytes + known, 0, size - known);
  out->size = size;
}

}  // namespace rondo::c
