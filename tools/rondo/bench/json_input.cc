#include "tools/rondo/bench/json_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace rondo::tool {
namespace {

/// How deep brackets outside of strings are nested. The parser would follow any depth, at some
/// hundred bytes for each bracket.
int depth_of(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (in_string && letter == '\\') ++i;
    if (letter == '"') in_string = !in_string;
    if (in_string) continue;
    if (letter == '[' || letter == '{') deepest = std::max(deepest, ++depth);
    if (letter == ']' || letter == '}') --depth;
  }
  return deepest;
}

std::string read_text(const std::string& path) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (!std::filesystem::exists(status)) {
    throw FileError(fmt::format("can't read {}: {}", path,
                                problem ? problem.message() : std::strerror(ENOENT)));
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw FileError(fmt::format("can't read {}: it is no regular file", path));
  }
  const auto bytes = std::filesystem::file_size(path, problem);
  if (!problem && bytes > kMostJsonBytes) {
    throw FileError(fmt::format("{} has {} bytes; a file of results has at most {}", path, bytes,
                                kMostJsonBytes));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) {
    throw FileError(fmt::format("can't read {}: {}", path, std::strerror(errno)));
  }
  return text;
}

}  // namespace

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char letter) { return letter < ' ' || letter == 0x7F; }, ' ');
  return text;
}

nlohmann::json parse_json(const std::string& name, std::string_view text) {
  if (text.size() > kMostJsonBytes) {
    throw FileError(fmt::format("{} has {} bytes; a file of results has at most {}", name,
                                text.size(), kMostJsonBytes));
  }
  if (const int depth = depth_of(text); depth > kMostJsonDepth) {
    throw FileError(fmt::format("{} is nested {} deep; a file of results at most {}", name, depth,
                                kMostJsonDepth));
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    // What the parser says quotes the file, whatever is in it.
    throw FileError(fmt::format("{} is no JSON: what stands at byte {} doesn't belong there", name,
                                error.byte));
  } catch (const nlohmann::json::exception&) {
    throw FileError(fmt::format("{} has a number that is out of range", name));
  }
}

nlohmann::json read_json(const std::string& path) { return parse_json(path, read_text(path)); }

}  // namespace rondo::tool
