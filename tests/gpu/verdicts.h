#pragma once

// What was measured on a GPU, beside what is to be reached there.
//
// Speeds are those of device_bandwidth, whose copy from the device to itself is the measure: a
// reduce kernel is to move bytes nearly as fast, and an all-reduce of n ranks on one GPU, which has
// to read n buffers and to write n, is to take little longer than copies of so many bytes. Pure.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::gpu {

inline constexpr double kLeastOfCopy = 0.85;   ///< of the copy's speed, by a reduce kernel
inline constexpr double kMostOfThreads = 1.3;  ///< times what copies take, by 4 threads
inline constexpr double kMostOfProcesses = 3;  ///< by 4 processes; only told

struct Verdict {
  std::string goal{};
  std::string of{};  ///< what was the farthest from it, or by which way calls were made
  double value = 0;
  double limit = 0;
  bool at_least = false;  ///< else at most
  bool judged = true;     ///< else only told

  bool met() const { return at_least ? value >= limit : value <= limit; }
};

struct Speeds {
  struct Kernel {
    std::string name;
    double of_copy = 0;
  };
  double copy_gb_per_s = 0;
  std::vector<Kernel> kernels;
};

/// Of device_bandwidth's lines. What isn't all there throws std::exception, here and below.
Speeds read_speeds(std::string_view lines);

/// Of the slowest kernel.
Verdict judge_kernels(const Speeds& speeds);

/// `rondo bench all_reduce --json`, by the way of that name.
struct Table {
  std::string way;
  nlohmann::json json;
};
/// Of the largest buffers in the table, in place or not, whichever takes longer. `ranks` is
/// "threads" or "processes".
Verdict judge_table(const Speeds& speeds, const std::string& ranks, const Table& table,
                    double limit);

/// "reduce kernels               met      0.91 ...".
std::string line_of(const Verdict& verdict);
/// With all of them, and whether all goals are met.
nlohmann::json json_of(const Speeds& speeds, const std::vector<Verdict>& verdicts);
bool all_met(const std::vector<Verdict>& verdicts);

}  // namespace rondo::gpu
