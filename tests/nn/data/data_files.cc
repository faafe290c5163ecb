#include "tests/nn/data/data_files.h"

#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace rondo::nn {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "rondo-data-XXXXXX").string();
  path_ = ::mkdtemp(name.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_gzip(const std::string& path, const std::string& content) {
  gzFile file = gzopen(path.c_str(), "wb1");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
}

void write_plain(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string read_plain(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string digits_text(std::size_t count) {
  std::string text;
  for (std::size_t line = 0; line < count; ++line) {
    for (std::size_t pixel = 0; pixel < 64; ++pixel) {
      text += std::to_string((line + pixel) % 17) + ",";
    }
    text += std::to_string(line % 10) + "\n";
  }
  return text;
}

std::string idx_bytes(std::uint32_t magic, const std::vector<std::uint32_t>& sizes,
                      const std::string& payload) {
  std::string bytes;
  const auto append = [&bytes](std::uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift & 0xFFU);
  };
  append(magic);
  for (const std::uint32_t size : sizes) append(size);
  return bytes + payload;
}

void write_mnist_part(const std::string& images, const std::string& labels, std::uint32_t count) {
  std::string pixels;
  std::string classes;
  for (std::uint32_t i = 0; i < count; ++i) {
    pixels += std::string(28 * 28, static_cast<char>(i % 256));
    classes += static_cast<char>(i % 10);
  }
  write_gzip(images, idx_bytes(0x803, {count, 28, 28}, pixels));
  write_gzip(labels, idx_bytes(0x801, {count}, classes));
}

}  // namespace rondo::nn
