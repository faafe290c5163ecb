#pragma once

// Data files made on the spot, in a folder that goes away with its owner: no data in the tree.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "rondo/error.h"

namespace rondo::nn {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void write_gzip(const std::string& path, const std::string& content);
void write_plain(const std::string& path, const std::string& content);
std::string read_plain(const std::string& path);

/// `count` lines of digits.csv: line i has label i % 10 and pixels that depend on i.
std::string digits_text(std::size_t count);

/// An idx file: its magic number, one size per dimension, then the bytes.
std::string idx_bytes(std::uint32_t magic, const std::vector<std::uint32_t>& sizes,
                      const std::string& payload);

/// Writes `count` images of 28 x 28 and their labels under the two names.
void write_mnist_part(const std::string& images, const std::string& labels, std::uint32_t count);

/// What `call` throws as rondo::Error.
template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace rondo::nn
