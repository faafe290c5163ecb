#include "tools/rondo/bench/bench_files.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "tools/rondo/bench/baseline.h"
#include "tools/rondo/bench/environment.h"
#include "tools/rondo/bench/input_file.h"
#include "tools/rondo/output.h"

namespace rondo::tool {
namespace {

bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return !b.empty() && std::filesystem::equivalent(a, b, ignored);
}

void say(const std::exception& error) { fmt::print(stderr, "rondo bench: {}\n", error.what()); }

}  // namespace

void BenchFiles::open_on_rank_0() {
  environment_ = bench_environment();
  if (!options_.baseline_path.empty()) {
    baseline_ = read_baseline(options_.baseline_path);
    require_comparable(*baseline_, std::string(to_string(options_.operation)), communicator_.size(),
                       environment_, options_.any_machine);
  }
  if (options_.json_path.empty()) return;
  // What is compared with has to last until it was.
  json_.emplace(options_.json_path, environment_,
                are_one_file(options_.json_path, options_.baseline_path));
  if (options_.cycles == 0 && !json_->grows()) {
    throw FileError(fmt::format(
        "--json {}: no file that can be written row by row, and -N 0 has no end; give a file, or a "
        "number of cycles",
        options_.json_path));
  }
}

bool BenchFiles::open() {
  bool ready = true;
  if (communicator_.rank() == 0) {
    try {
      open_on_rank_0();
    } catch (const std::exception& error) {
      say(error);
      ready = false;
    }
  }
  if (options_.json_path.empty() && options_.baseline_path.empty()) return true;
  return agree(ready);
}

bool BenchFiles::agree(bool answer) {
  std::uint8_t byte = answer ? 1 : 0;
  communicator_.broadcast({&byte, 1, DataType::kU8}, 0);
  return byte != 0;
}

bool BenchFiles::keep(const BenchRow& row) {
  if (!options_.baseline_path.empty() && !is_compared_) {
    is_compared_ = true;
    if (!agree(!baseline_ || is_comparable(row))) return false;
  }
  if (baseline_) rows_.push_back(row);
  if (json_) write(row);
  return true;
}

bool BenchFiles::is_comparable(const BenchRow& row) const {
  try {
    require_same_transport(*baseline_, row);
  } catch (const FileError& error) {
    say(error);
    return false;
  }
  return true;
}

void BenchFiles::write(const BenchRow& row) {
  if (is_full_ || has_failed_) return;
  try {
    is_full_ = !json_->add(row);
    if (!is_full_) return;
    fmt::print(
        stderr,
        "rondo bench: --json {} would have more than the {} bytes that are read: results from "
        "here on aren't in it\n",
        options_.json_path, kMostInputBytes);
  } catch (const std::exception& error) {
    say(error);
    has_failed_ = true;
  }
}

int BenchFiles::finish() {
  if (json_ && !has_failed_) json_->close();
  bool slower = false;
  if (baseline_) {
    const BaselineComparison comparison = compare_with(*baseline_, rows_);
    write_output(comparison_lines(*baseline_, comparison, options_.tolerance_percent));
    slower = count_slower(comparison, options_.tolerance_percent) > 0;
  }
  if (has_failed_ || is_full_) return kExitFailure;
  return slower ? kExitSlower : 0;
}

}  // namespace rondo::tool
