// Judges what `check` has measured on a GPU:
//   gpu_verdicts FOLDER     reads bandwidth.json, threads-4-*.json and processes-4.json there,
//   writes
//                           verdicts.json beside them, and prints a line for each goal
// Exit status: 0 where all goals are met, 1 where one isn't, 2 where something wasn't measured.

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
  return {way, nlohmann::json::parse(content_of(path))};
}

bool judge(const std::string& folder) {
  const Speeds speeds = read_speeds(content_of(folder + "/bandwidth.json"));
  const auto judge = [&](const char* ranks, const char* file, const char* way, double limit) {
    return judge_table(speeds, ranks, table_of(folder + "/" + file, way), limit);
  };
  std::vector<Verdict> verdicts = {
      judge_kernels(speeds),
      judge("threads", "threads-4-auto.json", "by the hosts", kMostOfThreads),
      judge("threads", "threads-4-kernel.json", "by kernels", kMostOfThreads),
      judge("processes", "processes-4.json", "by the hosts", kMostOfProcesses)};
  verdicts.back().judged = false;
  for (const Verdict& verdict : verdicts) std::puts(line_of(verdict).c_str());
  std::ofstream(folder + "/verdicts.json") << json_of(speeds, verdicts).dump(2) << '\n';
  return all_met(verdicts);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("name the folder of the results");
    return judge(argv[1]) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_verdicts: %s\n", error.what());
    return 2;
  }
}
