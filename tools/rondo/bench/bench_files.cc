#include "tools/rondo/bench/bench_files.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "tools/rondo/bench/baseline.h"
#include "tools/rondo/bench/environment.h"
#include "tools/rondo/bench/input_file.h"
#include "tools/rondo/output.h"

namespace rondo::tool {
namespace {

void say(const std::exception& error) { fmt::print(stderr, "rondo bench: {}\n", error.what()); }

}  // namespace

void BenchFiles::open_on_rank_0() {
  environment_ = bench_environment();
  if (!options_.baseline_path.empty()) {
    baseline_ = read_recorded(options_.baseline_path);
    require_comparable(*baseline_, std::string(to_string(options_.operation)), communicator_.size(),
                       environment_, options_.any_machine);
  }
  if (!options_.json_path.empty()) json_.emplace(options_.json_path, environment_);
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
  if (json_) write(row);
  if (options_.baseline_path.empty()) return true;
  if (baseline_) rows_.push_back(row);
  if (is_compared_) return true;
  is_compared_ = true;
  return agree(!baseline_ || is_comparable(row));
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
    fmt::print(stderr,
               "rondo bench: --json {} has {} bytes, as many as are read: later results aren't in "
               "it\n",
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
  if (has_failed_) return kExitFailure;
  return slower ? kExitSlower : 0;
}

}  // namespace rondo::tool
