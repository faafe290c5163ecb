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
  /// What can't be written is told by close: the model that is being trained is wanted, too.
  void write(double loss);
  /// Errors: std::runtime_error (something couldn't be written).
  void close();

 private:
  std::string name_;
  std::ofstream file_;
  int failure_ = 0;  ///< errno of the first write that failed
};

}  // namespace rondo::examples
