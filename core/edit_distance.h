#pragma once

// How far two words are apart, for who has mistyped one.
// Threads: any.

#include <cstddef>
#include <string_view>

namespace rondo {

/// How many letters have to be added, taken out, replaced or exchanged with their neighbour. Takes
/// time and memory by the product of their lengths.
/// Source: optimal string alignment, as in L. Boytsov, ACM JEA 16 (2011).
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace rondo
