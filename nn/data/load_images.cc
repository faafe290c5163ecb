// Which set a name or path means; and the public, throwing forms of the loaders.

#include <fmt/format.h>

#include <filesystem>

#include "nn/data/digits.h"
#include "nn/data/locate.h"
#include "nn/data/mnist.h"

namespace rondo::nn {
namespace fs = std::filesystem;
namespace {

constexpr const char* kDigitsFile = "digits.csv.gz";
constexpr NamedSet kDigits{.name = "digits", .file = kDigitsFile, .is_fetched = true};
constexpr NamedSet kMnist{.name = "mnist", .file = kMnistTrain.images, .is_fetched = false};

Result<TrainTest> read_folder(const std::string& folder) {
  std::error_code ignored;
  if (fs::exists(fs::path(folder) / kMnistTrain.images, ignored)) return read_mnist(folder);
  if (fs::exists(fs::path(folder) / kDigitsFile, ignored)) {
    return read_digits(folder + "/" + kDigitsFile);
  }
  return Status(ErrorCode::kInvalidArgument, fmt::format("{}: {} or {} expected in it, found none",
                                                         folder, kDigitsFile, kMnistTrain.images));
}

Result<TrainTest> read_images(const std::string& what) {
  if (what == kDigits.name) {
    RONDO_ASSIGN(const std::string folder, locate_set(kDigits, data_folders()));
    return read_digits(folder + "/" + kDigitsFile);
  }
  if (what == kMnist.name) {
    RONDO_ASSIGN(const std::string folder, locate_set(kMnist, data_folders()));
    return read_mnist(folder);
  }
  std::error_code problem;
  const fs::file_status file = fs::status(what, problem);
  if (file.type() == fs::file_type::not_found) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{}: no such file or folder, and no set has that name; there are: "
                              "{}, {}",
                              what, kDigits.name, kMnist.name));
  }
  return fs::is_directory(file) ? read_folder(what) : read_digits(what);
}

}  // namespace

inline namespace v1 {

TrainTest load_digits(const std::string& path) { return value_or_throw(read_digits(path)); }

TrainTest load_mnist(const std::string& folder) { return value_or_throw(read_mnist(folder)); }

TrainTest load_images(const std::string& what) { return value_or_throw(read_images(what)); }

}  // namespace v1
}  // namespace rondo::nn
