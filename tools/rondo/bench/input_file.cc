#include "tools/rondo/bench/input_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace rondo::tool {
namespace {

void check_regular(const std::string& path) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (!std::filesystem::exists(status)) {
    throw FileError(fmt::format("can't read {}: {}", path,
                                problem ? problem.message() : std::strerror(ENOENT)));
  }
  if (!std::filesystem::is_regular_file(status))
    throw FileError(fmt::format("can't read {}: no regular file", path));
  const auto bytes = std::filesystem::file_size(path, problem);
  if (!problem && bytes > kMostInputBytes) {
    throw FileError(fmt::format("{} has {} bytes; a file of results has at most {}", path, bytes,
                                kMostInputBytes));
  }
}

}  // namespace

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char letter) { return letter < ' ' || letter == 0x7F; }, ' ');
  return text;
}

std::string read_input(const std::string& path) {
  check_regular(path);
  auto text = json::read_file(path, path);
  if (!text.ok()) throw FileError(text.status().message());
  return std::move(text).value();
}

void read_json(const std::string& path, std::string_view text,
               const std::function<void(json::Value root)>& reader) {
  auto document = json::Document::parse(text, path);
  if (!document.ok()) throw FileError(document.status().message());
  reader(document->root());
  if (!document->status().ok()) throw FileError(document->status().message());
}

}  // namespace rondo::tool
