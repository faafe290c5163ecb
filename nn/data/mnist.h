#pragma once

// The idx files of MNIST: a big-endian header (magic number, one count per dimension), then bytes.
// Source: Y. LeCun's description of the format that came with the set.

#include <cstddef>
#include <string>
#include <string_view>

#include "core/status.h"
#include "rondo/nn/data.h"

namespace rondo::nn {

/// The names of one part's two files.
struct MnistFiles {
  const char* images;
  const char* labels;
};
inline constexpr MnistFiles kMnistTrain = {"train-images-idx3-ubyte.gz",
                                           "train-labels-idx1-ubyte.gz"};
inline constexpr MnistFiles kMnistTest = {"t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"};

/// One inflated file and its name, for errors.
struct IdxFile {
  std::string_view bytes;
  std::string name;
};

/// Parses a pair of inflated files.
/// Errors: DataLoss (file and byte, expected and found).
Result<ImageSet> parse_mnist(const IdxFile& images, const IdxFile& labels);

/// load_mnist, without exceptions.
Result<TrainTest> read_mnist(const std::string& folder);

}  // namespace rondo::nn
