// Judges what `check` has measured on a GPU:
//   gpu_verdicts FOLDER     reads bandwidth.json, threads-4-*.json and processes-4.json there,
//                           writes verdicts.json beside them, and prints a line for each goal
// Exit status: 0 where all goals are met, 1 where one isn't, 2 where something wasn't measured.

#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/gpu/verdicts.h"

namespace {

using namespace rondo::gpu;

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " isn't there: run the parts bandwidth and tables");
  return {std::istreambuf_iterator<char>(file), {}};
}

Table table_of(const std::string& path, const char* way) {
  try {
    return {way, nlohmann::json::parse(content_of(path))};
  } catch (const nlohmann::json::parse_error&) {
    throw std::runtime_error(path + " is no table: its part failed");
  }
}

/// What was measured is judged, whatever else wasn't.
int judge(const std::string& folder) {
  const Speeds speeds = read_speeds(content_of(folder + "/bandwidth.json"));
  std::vector<Verdict> verdicts = {judge_kernels(speeds)};
  bool complete = true;
  const auto judge = [&](const char* ranks, const char* file, const char* way, double limit) {
    try {
      verdicts.push_back(judge_table(speeds, ranks, table_of(folder + "/" + file, way), limit));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "gpu_verdicts: not measured: %s\n", error.what());
      complete = false;
    }
  };
  judge("threads", "threads-4-auto.json", "by the hosts", kMostOfThreads);
  judge("threads", "threads-4-kernel.json", "by kernels", kMostOfThreads);
  const std::size_t judged = verdicts.size();
  judge("processes", "processes-4.json", "by the hosts", kMostOfProcesses);
  for (std::size_t i = judged; i < verdicts.size(); ++i) verdicts[i].judged = false;
  for (const Verdict& verdict : verdicts) std::puts(line_of(verdict).c_str());
  std::ofstream(folder + "/verdicts.json") << json_of(speeds, verdicts).dump(2) << '\n';
  if (!complete) return 2;
  return all_met(verdicts) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("name the folder of the results");
    return judge(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_verdicts: %s\n", error.what());
    return 2;
  }
}
