#include "tools/rondo/nearest_words.h"

#include <algorithm>
#include <utility>

#include "core/edit_distance.h"

namespace rondo::tool {
namespace {

/// A shorter word is the start of too many others.
constexpr std::size_t kShortestStart = 3;
constexpr std::size_t kLettersPerMistake = 3;

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

}  // namespace

std::vector<std::string> nearest_words(std::string_view typed,
                                       const std::vector<std::string>& known) {
  const std::string_view word = without_dashes(typed);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const std::string_view name = without_dashes(candidate);
    const std::size_t mistakes = edit_distance(word, name);
    const bool is_start = word.size() >= kShortestStart && name.starts_with(word);
    if (is_start || mistakes <= word.size() / kLettersPerMistake) {
      near.emplace_back(mistakes, candidate);
    }
  }
  std::ranges::stable_sort(near, {}, [](const auto& entry) { return entry.first; });
  std::vector<std::string> words;
  for (auto& [mistakes, candidate] : near) words.push_back(std::move(candidate));
  return words;
}

}  // namespace rondo::tool
