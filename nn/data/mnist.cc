#include "nn/data/mnist.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "nn/data/gzip_file.h"

namespace rondo::nn {
namespace {

constexpr std::size_t kWordBytes = 4;
/// Magic number: type 8 (unsigned byte) in the third byte, the number of dimensions in the fourth.
constexpr std::uint32_t kMagicOfBytes = 0x0800;
constexpr std::int64_t kClasses = 10;
/// Four times the 47 MB of the training images.
constexpr std::size_t kLimitBytes = std::size_t{192} << 20U;

Status damaged(const IdxFile& file, const std::string& what) {
  return {ErrorCode::kDataLoss, fmt::format("{}, {}", file.name, what)};
}

std::uint32_t word_at(std::string_view bytes, std::size_t offset) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    word = word << 8U | static_cast<std::uint8_t>(bytes[offset + i]);
  }
  return word;
}

/// The sizes of the dimensions, after checking the header and the file's length against them.
Result<std::vector<std::size_t>> parse_header(const IdxFile& file, std::uint32_t dimensions) {
  const std::size_t header_bytes = kWordBytes * (dimensions + 1);
  if (file.bytes.size() < header_bytes) {
    return damaged(file, fmt::format("byte {}: a header of {} bytes expected, the file ends",
                                     file.bytes.size(), header_bytes));
  }
  const std::uint32_t magic = word_at(file.bytes, 0);
  if (magic != kMagicOfBytes + dimensions) {
    return damaged(file, fmt::format("byte 0: magic number {:#010x} expected, found {:#010x}",
                                     kMagicOfBytes + dimensions, magic));
  }
  std::vector<std::size_t> sizes;
  std::size_t payload_bytes = 1;
  for (std::uint32_t d = 1; d <= dimensions; ++d) {
    const std::size_t offset = kWordBytes * d;
    sizes.push_back(word_at(file.bytes, offset));
    // Checked factor by factor, so the product can't overflow.
    if (sizes.back() == 0 || sizes.back() > kLimitBytes / payload_bytes) {
      return damaged(file, fmt::format("byte {}: a size that fits in {} bytes expected, found {}",
                                       offset, kLimitBytes, sizes.back()));
    }
    payload_bytes *= sizes.back();
  }
  if (file.bytes.size() - header_bytes != payload_bytes) {
    return damaged(file, fmt::format("byte {}: {} bytes of data expected, found {}", header_bytes,
                                     payload_bytes, file.bytes.size() - header_bytes));
  }
  return sizes;
}

Result<std::vector<std::int64_t>> parse_labels(const IdxFile& file) {
  RONDO_ASSIGN(const std::vector<std::size_t> sizes, parse_header(file, 1));
  const std::size_t header_bytes = file.bytes.size() - sizes[0];
  std::vector<std::int64_t> labels;
  labels.reserve(sizes[0]);
  for (std::size_t i = header_bytes; i < file.bytes.size(); ++i) {
    labels.push_back(static_cast<std::uint8_t>(file.bytes[i]));
    if (labels.back() >= kClasses) {
      return damaged(file, fmt::format("byte {}: a label of 0..{} expected, found {}", i,
                                       kClasses - 1, labels.back()));
    }
  }
  return labels;
}

Result<std::shared_ptr<const ImageSet>> read_part(const std::string& folder, MnistFiles files) {
  IdxFile images{{}, folder + "/" + files.images};
  IdxFile labels{{}, folder + "/" + files.labels};
  RONDO_ASSIGN(const std::string image_bytes, read_gzip(images.name, kLimitBytes));
  RONDO_ASSIGN(const std::string label_bytes, read_gzip(labels.name, kLimitBytes));
  images.bytes = image_bytes;
  labels.bytes = label_bytes;
  RONDO_ASSIGN(ImageSet set, parse_mnist(images, labels));
  return std::make_shared<const ImageSet>(std::move(set));
}

}  // namespace

Result<ImageSet> parse_mnist(const IdxFile& images, const IdxFile& labels) {
  RONDO_ASSIGN(const std::vector<std::size_t> sizes, parse_header(images, 3));
  ImageSet set;
  set.height = sizes[1];
  set.width = sizes[2];
  set.classes = kClasses;
  RONDO_ASSIGN(set.labels, parse_labels(labels));
  if (set.count() != sizes[0]) {
    return damaged(labels, fmt::format("byte {}: {} labels expected, one for each image of {}, "
                                       "found {}",
                                       kWordBytes, sizes[0], images.name, set.count()));
  }
  const std::string_view pixels = images.bytes.substr(kWordBytes * (sizes.size() + 1));
  set.pixels.assign(pixels.begin(), pixels.end());
  return set;
}

Result<TrainTest> read_mnist(const std::string& folder) {
  TrainTest set;
  RONDO_ASSIGN(set.train, read_part(folder, kMnistTrain));
  RONDO_ASSIGN(set.held_out, read_part(folder, kMnistTest));
  if (set.train->image_pixels() != set.held_out->image_pixels()) {
    return Status(ErrorCode::kDataLoss,
                  fmt::format("{}: images of one size expected, found {} pixels in {} and {} in {}",
                              folder, set.train->image_pixels(), kMnistTrain.images,
                              set.held_out->image_pixels(), kMnistTest.images));
  }
  return set;
}

}  // namespace rondo::nn
