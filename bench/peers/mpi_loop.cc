// The loop through any MPI.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <string_view>

#include "bind.h"
#include "messages.h"

namespace {

using bench::Data;

class MpiWorld : public bench::MessageWorld {
 public:
  int rank() const override { return ask(MPI_Comm_rank); }
  int size() const override { return ask(MPI_Comm_size); }
  /// What it says of itself goes on with dates and flags behind a comma or in further lines.
  std::string library() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string_view whole(text);
    std::string name(whole.substr(0, whole.find_first_of(",\n")));
    std::ranges::replace(name, '\t', ' ');
    return name;
  }
  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }
  void max(std::vector<double>& values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
  }
  float* allocate(std::size_t count) override {
    return static_cast<float*>(std::malloc(count * sizeof(float)));
  }
  void send(const float* data, std::size_t count, int peer) override {
    MPI_Send(data, static_cast<int>(count), MPI_FLOAT, peer, 0, MPI_COMM_WORLD);
  }
  void receive(float* data, std::size_t count, int peer) override {
    MPI_Recv(data, static_cast<int>(count), MPI_FLOAT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  void exchange(const Data& d, int next, int before) override {
    MPI_Sendrecv(d.input, part(d), MPI_FLOAT, next, 0, d.output, part(d), MPI_FLOAT, before, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  Call call(const std::string& name) override {
    const auto type = MPI_FLOAT;
    const auto world = MPI_COMM_WORLD;
    const std::map<std::string, Call> calls = {
        {"all_reduce",
         [=](const Data& d) {
           MPI_Allreduce(MPI_IN_PLACE, d.output, total(d), type, MPI_SUM, world);
         }},
        {"broadcast", [=](const Data& d) { MPI_Bcast(d.output, total(d), type, 0, world); }},
        {"reduce",
         [=](const Data& d) { MPI_Reduce(d.input, d.output, total(d), type, MPI_SUM, 0, world); }},
        {"all_gather",
         [=](const Data& d) {
           MPI_Allgather(d.input, part(d), type, d.output, part(d), type, world);
         }},
        {"reduce_scatter",
         [=](const Data& d) {
           MPI_Reduce_scatter_block(d.input, d.output, part(d), type, MPI_SUM, world);
         }},
        {"gather",
         [=](const Data& d) {
           MPI_Gather(d.input, part(d), type, d.output, part(d), type, 0, world);
         }},
        {"scatter",
         [=](const Data& d) {
           MPI_Scatter(d.input, part(d), type, d.output, part(d), type, 0, world);
         }},
        {"all_to_all",
         [=](const Data& d) {
           MPI_Alltoall(d.input, part(d), type, d.output, part(d), type, world);
         }},
        {"barrier", [=](const Data&) { MPI_Barrier(world); }},
    };
    if (const auto found = calls.find(name); found != calls.end()) return found->second;
    const Call uneven = uneven_call(name);
    return uneven ? uneven : message_call(name);
  }

 private:
  static Call uneven_call(const std::string& name) {
    const auto type = MPI_FLOAT;
    const auto world = MPI_COMM_WORLD;
    const auto counts = [](const Data& d) { return d.parts.mpi_counts.data(); };
    const auto firsts = [](const Data& d) { return d.parts.mpi_firsts.data(); };
    const std::map<std::string, Call> calls = {
        {"all_gather_v",
         [=](const Data& d) {
           MPI_Allgatherv(d.input, part(d), type, d.output, counts(d), firsts(d), type, world);
         }},
        {"reduce_scatter_v",
         [=](const Data& d) {
           MPI_Reduce_scatter(d.input, d.output, counts(d), type, MPI_SUM, world);
         }},
        {"gather_v",
         [=](const Data& d) {
           MPI_Gatherv(d.input, part(d), type, d.output, counts(d), firsts(d), type, 0, world);
         }},
        {"scatter_v",
         [=](const Data& d) {
           MPI_Scatterv(d.input, counts(d), firsts(d), type, d.output, part(d), type, 0, world);
         }},
        {"all_to_all_v",
         [=](const Data& d) {
           MPI_Alltoallv(d.input, counts(d), firsts(d), type, d.output, counts(d), firsts(d), type,
                         world);
         }},
    };
    const auto found = calls.find(name);
    return found != calls.end() ? found->second : Call();
  }

  static int total(const Data& data) { return static_cast<int>(data.total); }
  static int part(const Data& data) { return static_cast<int>(data.part); }

  template <typename F>
  static int ask(F function) {
    int value = 0;
    function(MPI_COMM_WORLD, &value);
    return value;
  }
};

}  // namespace

int main(int argc, char** argv) {
  bench::bind_to_own_core();
  MPI_Init(&argc, &argv);
  try {
    MpiWorld world;
    bench::run(world, {argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpi_loop: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
