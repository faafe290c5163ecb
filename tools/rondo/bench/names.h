#pragma once

// What the tool's flags may name (element types, ops, transports, collectives), and the words they
// are written with. Unknown words are answered with the list of the known ones.
// Threads: any.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "rondo/call.h"
#include "rondo/types.h"

namespace rondo::tool {

/// A flag that can't be understood; the program prints it and exits with kExitUsage.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr int kExitFailure = 1;  ///< wrong results, or the collective failed
inline constexpr int kExitUsage = 2;    ///< the command line
inline constexpr int kExitSlower = 3;   ///< `rondo bench`: slower than the baseline allows

/// The collectives, in the order of the enumeration.
const std::vector<Collective>& all_collectives();
/// The types that every collective takes: integers, then floats, in the order of size.
const std::vector<DataType>& all_types();
const std::vector<ReduceOp>& all_ops();
const std::vector<std::string_view>& all_transports();
const std::vector<std::string_view>& all_wire_formats();

/// Errors: UsageError.
Collective parse_collective(std::string_view text);
/// "f32" or nccl-tests' "float", or "all". Errors: UsageError.
std::vector<DataType> parse_types(std::string_view text);
/// One type, "f32" or "float". Errors: UsageError.
DataType parse_type(std::string_view text);
/// What nccl-tests calls it: "float".
std::string_view name_in_nccl_tests(DataType type);
/// `text` itself, if it is one of `allowed`; UsageError "unknown <what> ..., allowed: ..." if not.
std::string one_of(std::string_view what, std::string_view text,
                   const std::vector<std::string_view>& allowed);

}  // namespace rondo::tool
