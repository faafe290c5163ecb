#pragma once

// What `rondo bench` measures: a collective, the same with parts of different sizes, or every
// rank's send to the next one beside its receive from the one before (nccl-tests' sendrecv).
// Threads: any.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rondo/call.h"

namespace rondo::tool {

struct Operation {
  enum class Kind : std::uint8_t { kEven, kUneven, kSendReceive };

  // NOLINTNEXTLINE(google-explicit-constructor): a collective is one
  Operation(Collective of, Kind kind_of_parts = Kind::kEven)
      : collective(of), kind(kind_of_parts) {}
  /// Of sends, too: what has their shapes.
  static Operation send_receive() { return {Collective::kAllReduce, Kind::kSendReceive}; }

  bool is(Collective other) const { return kind != Kind::kSendReceive && collective == other; }
  bool sends() const { return kind == Kind::kSendReceive; }
  bool uneven() const { return kind == Kind::kUneven; }
  bool operator==(const Operation&) const = default;

  Collective collective;
  Kind kind;
};

/// "all_reduce", ..., "all_gather_v", ..., "send_receive"
std::string_view to_string(const Operation& operation);
bool reduces(const Operation& operation);
bool has_root(const Operation& operation);
/// Broadcast runs in place alone; all_to_all, barrier and sends don't.
bool has_out_of_place_form(const Operation& operation);
bool has_in_place_form(const Operation& operation);

/// The collectives in the order of the enumeration, then those with parts of different sizes.
const std::vector<Operation>& all_operations();
/// Errors: UsageError.
Operation parse_operation(std::string_view text);

/// How many of `all` elements are each rank's part: equal parts, or the parts of rank 0, 1, 2, 3,
/// ... are as 1 : 2 : 3 : 1 : ... What is left over is nobody's.
std::vector<std::size_t> parts_of(const Operation& operation, std::size_t all, int world);
/// Of all_to_all: how many elements `from` sends to each rank. Uneven: every rank sends and gets
/// the same sizes, each from and to another.
std::vector<std::size_t> row_of(const Operation& operation, std::size_t all, int world, int from);
/// Where part `index` begins.
std::size_t first_of(const std::vector<std::size_t>& parts, int index);

}  // namespace rondo::tool
