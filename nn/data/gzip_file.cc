#include "nn/data/gzip_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <memory>
#include <utility>

namespace rondo::nn {
namespace {

struct CloseGzip {
  void operator()(gzFile file) const { gzclose_r(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, CloseGzip>;

constexpr unsigned kPieceBytes = 1U << 16U;

Status damaged(const std::string& path, const std::string& what) {
  return {ErrorCode::kDataLoss, fmt::format("{}: {}", path, what)};
}

Result<GzipFile> open_gzip(const std::string& path) {
  errno = 0;
  GzipFile file(gzopen(path.c_str(), "rb"));
  if (file) return file;
  if (errno == ENOENT) {
    return Status(ErrorCode::kInvalidArgument, fmt::format("{}: no such file", path));
  }
  return system_error(fmt::format("can't open {}", path), errno);
}

/// The error that zlib saw so far, or OK.
Status check(gzFile file, const std::string& path, std::size_t inflated_bytes) {
  int code = Z_OK;
  const char* text = gzerror(file, &code);
  if (code == Z_OK || code == Z_STREAM_END) return {};
  if (code == Z_ERRNO) return system_error(fmt::format("can't read {}", path), errno);
  if (code == Z_BUF_ERROR) text = "the file ends in the middle of the compressed data";
  return damaged(path, fmt::format("valid gzip expected, found damage after {} inflated bytes: {}",
                                   inflated_bytes, text));
}

}  // namespace

Result<std::string> read_gzip(const std::string& path, std::size_t limit_bytes) {
  RONDO_ASSIGN(const GzipFile file, open_gzip(path));
  std::string bytes;
  std::string piece(kPieceBytes, '\0');
  for (;;) {
    const int got = gzread(file.get(), piece.data(), kPieceBytes);
    RONDO_TRY(check(file.get(), path, bytes.size()));
    // zlib hands out a file without a gzip header as it is; a data set is never that.
    if (gzdirect(file.get()) != 0) {
      return damaged(path, "a gzip file expected, found one without a gzip header");
    }
    if (got <= 0) return bytes;
    bytes.append(piece, 0, static_cast<std::size_t>(got));
    if (bytes.size() > limit_bytes) {
      return damaged(path,
                     fmt::format("at most {} inflated bytes expected, found more", limit_bytes));
    }
  }
}

}  // namespace rondo::nn
