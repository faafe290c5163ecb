#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/json/reader.h"

namespace rondo::json {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Status unreadable(std::string_view name, std::string_view why) {
  return {ErrorCode::kInvalidArgument, fmt::format("{}: {}", name, why)};
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::string_view name) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "re"));
  if (file == nullptr) return unreadable(name, std::strerror(errno));
  constexpr std::size_t kPiece = std::size_t{64} * 1024;
  std::string text;
  std::size_t got = 0;
  do {
    const std::size_t had = text.size();
    text.resize(had + kPiece);
    got = std::fread(text.data() + had, 1, kPiece, file.get());
    text.resize(had + got);
    if (text.size() > kMostBytes)
      return unreadable(name, fmt::format("longer than {} MiB", kMostBytes >> 20));
  } while (got == kPiece);
  if (std::ferror(file.get()) != 0) return unreadable(name, std::strerror(errno));
  return text;
}

}  // namespace rondo::json
