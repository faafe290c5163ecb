// schedules_page SOURCE [--check]: writes SOURCE/docs/schedules.md and its drawings, or says which
// of them aren't what would be written.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "tools/schedules_page/page.h"

namespace {

bool is_current(const std::filesystem::path& path, const std::string& text) {
  std::ifstream file(path);
  return file && std::string(std::istreambuf_iterator<char>(file), {}) == text;
}

bool write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) fmt::print(stderr, "schedules_page: can't write {}\n", path.string());
  return static_cast<bool>(file);
}

int run(const std::filesystem::path& source, bool check) {
  int wrong = 0;
  for (const auto& [name, text] : rondo::tool::schedules_page(source)) {
    const std::filesystem::path path = source / "docs" / name;
    if (!check) {
      wrong += write(path, text) ? 0 : 1;
    } else if (!is_current(path, text)) {
      fmt::print(stderr,
                 "{} isn't what the schedules are; write it anew with bin/schedules_page {}\n",
                 path.string(), source.string());
      ++wrong;
    }
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string_view(argv[2]) == "--check";
  if (argc != 2 && !check) {
    fmt::print(stderr, "usage: schedules_page SOURCE [--check]\n");
    return 2;
  }
  try {
    return run(argv[1], check);
  } catch (const std::exception& error) {
    fmt::print(stderr, "schedules_page: {}\n", error.what());
    return 1;
  }
}
