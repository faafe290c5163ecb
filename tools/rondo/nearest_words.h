#pragma once

// What somebody may have meant who typed a word that there isn't.
// Threads: any.

#include <string>
#include <string_view>
#include <vector>

namespace rondo::tool {

/// Those of `known` that `typed` is likely to stand for, nearest first: it is the start of them, or
/// a few letters are missing, too many, wrong or in the wrong order (a third of its letters, no
/// more). Dashes at the front don't count.
std::vector<std::string> nearest_words(std::string_view typed,
                                       const std::vector<std::string>& known);

}  // namespace rondo::tool
