#pragma once

// Every step's mean loss over all ranks, one a line, with all its digits: what tells whether two
// runs did the same.

#include <fstream>
#include <string>

namespace rondo::examples {

class LossFile {
 public:
  /// An empty name: nothing is written. Errors: std::runtime_error (can't be written).
  explicit LossFile(const std::string& name);
  void write(double loss);

 private:
  std::ofstream file_;
};

}  // namespace rondo::examples
