#include "tools/rondo/trace/read_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>

#include "tools/rondo/trace/merge.h"

namespace rondo::tool {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::runtime_error unreadable(const std::string& path) {
  return std::runtime_error(fmt::format("can't read {}: {}", path, std::strerror(errno)));
}

/// Of what is too long more than kMostTraceBytes.
std::string content_of(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "re"));
  if (file == nullptr) throw unreadable(path);
  std::string text;
  std::size_t got = kPiece;
  while (got == kPiece && text.size() <= kMostTraceBytes) {
    const std::size_t had = text.size();
    text.resize(had + kPiece);
    got = std::fread(text.data() + had, 1, kPiece, file.get());
    text.resize(had + got);
  }
  if (std::ferror(file.get()) != 0) throw unreadable(path);
  return text;
}

/// Nothing: the file is a merged trace, which may be longer than a rank's.
std::optional<RankTrace> trace_of_rank(const std::string& path) {
  const std::string text = content_of(path);
  if (is_merged(text)) return std::nullopt;
  if (text.size() <= kMostTraceBytes) return parse_trace(path, text);
  throw std::runtime_error(
      fmt::format("{} is no trace of Rondo's: more than {} bytes", path, kMostTraceBytes));
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("rondo-trace.") && name.ends_with(".json")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<RankTrace> traces_in(const std::string& folder) {
  const std::vector<std::string> files = files_in(folder);
  std::vector<RankTrace> traces;
  for (const std::string& file : files) {
    if (std::optional<RankTrace> trace = trace_of_rank(file)) traces.push_back(std::move(*trace));
  }
  if (!traces.empty()) return traces;
  throw std::runtime_error(
      fmt::format("{} has no files rondo-trace.*.json{}: were the ranks run "
                  "with RONDO_TRACE=FOLDER?",
                  folder, files.empty() ? "" : " but merged ones"));
}

}  // namespace

RankTrace read_trace(const std::string& path) {
  if (std::optional<RankTrace> trace = trace_of_rank(path)) return std::move(*trace);
  throw std::runtime_error(fmt::format("{} is a merged trace: give the ranks' files", path));
}

std::vector<RankTrace> read_traces(const std::vector<std::string>& paths) {
  std::vector<RankTrace> traces;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      std::ranges::move(traces_in(path), std::back_inserter(traces));
    } else {
      traces.push_back(read_trace(path));
    }
  }
  return traces;
}

}  // namespace rondo::tool
