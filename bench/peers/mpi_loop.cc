// The loop through any MPI.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "loop.h"

namespace {

class MpiWorld : public bench::World {
 public:
  int rank() const override { return ask(MPI_Comm_rank); }
  int size() const override { return ask(MPI_Comm_size); }
  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }
  void max(std::vector<double>& values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
  }
  float* allocate(std::size_t count) override {
    return static_cast<float*>(std::malloc(count * sizeof(float)));
  }
  bool call(const std::string& collective, const bench::Data& data) override {
    const auto [in, out, all, one] = data;
    const int total = static_cast<int>(all);
    const int part = static_cast<int>(one);
    const auto type = MPI_FLOAT;
    const auto world = MPI_COMM_WORLD;
    if (collective == "all_reduce") {
      MPI_Allreduce(MPI_IN_PLACE, out, total, type, MPI_SUM, world);
    } else if (collective == "broadcast") {
      MPI_Bcast(out, total, type, 0, world);
    } else if (collective == "reduce") {
      MPI_Reduce(in, out, total, type, MPI_SUM, 0, world);
    } else if (collective == "all_gather") {
      MPI_Allgather(in, part, type, out, part, type, world);
    } else if (collective == "reduce_scatter") {
      MPI_Reduce_scatter_block(in, out, part, type, MPI_SUM, world);
    } else if (collective == "gather") {
      MPI_Gather(in, part, type, out, part, type, 0, world);
    } else if (collective == "scatter") {
      MPI_Scatter(in, part, type, out, part, type, 0, world);
    } else if (collective == "all_to_all") {
      MPI_Alltoall(in, part, type, out, part, type, world);
    } else if (collective == "barrier") {
      MPI_Barrier(world);
    } else {
      return false;
    }
    return true;
  }

 private:
  template <typename F>
  static int ask(F function) {
    int value = 0;
    function(MPI_COMM_WORLD, &value);
    return value;
  }
};

}  // namespace

int main(int argc, char** argv) {
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
