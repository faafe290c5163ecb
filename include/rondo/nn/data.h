#pragma once

// Data sets of labelled images, read from their original files, and readers over them.
// Files are parsed strictly: whatever is missing, damaged or out of range is an error that names
// the file, the place in it, what was expected and what was found.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rondo/export.h"
#include "rondo/nn/read_ahead.h"
#include "rondo/nn/reader.h"

namespace rondo::nn::inline v1 {

/// Grey images with one label each, all of one size, in file order.
struct ImageSet {
  std::size_t height = 0;
  std::size_t width = 0;
  std::int64_t classes = 0;
  std::uint8_t pixel_max = 255;      ///< the value of a full pixel
  std::vector<std::uint8_t> pixels;  ///< image by image, row by row
  std::vector<std::int64_t> labels;  ///< 0..classes-1

  std::size_t count() const { return labels.size(); }
  std::size_t image_pixels() const { return height * width; }
};

/// One image of an ImageSet, which must outlive it.
struct Example {
  std::span<const std::uint8_t> pixels;
  std::int64_t label = 0;
};

/// What a model learns from, and what it is judged by.
struct TrainTest {
  std::shared_ptr<const ImageSet> train;
  std::shared_ptr<const ImageSet> held_out;
};

/// Handwritten digits of 8 x 8 pixels (1,797; `scripts/data digits`) from the file at `path`.
/// Every fifth image of each class, in file order, is held out: class by class a fifth, to within
/// one image, and the same images on every machine.
/// Errors: InvalidArgument (no such file), DataLoss (damaged: file, line, column).
RONDO_API TrainTest load_digits(const std::string& path);

/// Handwritten digits of 28 x 28 pixels (60,000 and 10,000) from the four original idx files, gzip,
/// in `folder`; the test files are held out.
/// Errors: InvalidArgument (no such file), DataLoss (damaged: file, byte).
RONDO_API TrainTest load_mnist(const std::string& folder);

/// Loads `what`: "digits" or "mnist", looked for in $RONDO_DATA, in ./data and in the data folder
/// of the checkout that this program was built in; or the path of a digits file, or of a folder
/// with one of the two sets.
/// Errors: as above; a set that isn't found names the places searched and how to get it, a name
/// that is none lists the sets there are.
RONDO_API TrainTest load_images(const std::string& what);

/// A reader of the whole set, in order. The set lives as long as the reader's streams do.
RONDO_API Reader<Example> read_examples(std::shared_ptr<const ImageSet> set);

/// Writes the pixels of `examples`, one after the other, scaled to 0..1 by `pixel_max`.
/// Shape: target.size() == sum of the examples' pixels. Errors: InvalidArgument.
RONDO_API void copy_pixels(std::span<const Example> examples, std::uint8_t pixel_max,
                           std::span<float> target);
RONDO_API void copy_pixels(std::span<const Example> examples, std::uint8_t pixel_max,
                           std::span<double> target);

}  // namespace rondo::nn::inline v1
