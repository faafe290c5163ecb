#include "tools/rondo/nearest_words.h"

#include <algorithm>
#include <utility>

namespace rondo::tool {
namespace {

/// A shorter word is the start of too many others.
constexpr std::size_t kShortestStart = 3;
constexpr std::size_t kLettersPerMistake = 3;

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

/// How many letters have to be added, taken out, replaced or exchanged with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& cell = table[i][j];
      cell = std::max(i, j);
      if (i == 0 || j == 0) continue;
      const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cell = std::min({replaced, table[i - 1][j] + 1, table[i][j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) cell = std::min(cell, table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::vector<std::string> nearest_words(std::string_view typed,
                                       const std::vector<std::string>& known) {
  const std::string_view word = without_dashes(typed);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const std::string_view name = without_dashes(candidate);
    const std::size_t mistakes = distance(word, name);
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
