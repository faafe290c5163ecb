// The loop through Rondo. With "registered" the data lie in registered memory.

#include <rondo/communicator.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include "bind.h"
#include "loop.h"

namespace {

class RondoWorld : public bench::World {
 public:
  explicit RondoWorld(bool registered)
      : communicator_(rondo::Communicator::create()), registered_(registered) {}

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }
  void barrier() override { communicator_.barrier(); }
  void max(std::vector<double>& values) override {
    communicator_.all_reduce({values.data(), values.size()}, rondo::ReduceOp::kMax);
  }
  float* allocate(std::size_t count) override {
    if (!registered_) return static_cast<float*>(std::malloc(count * sizeof(float)));
    memory_.push_back(std::make_unique<rondo::RegisteredMemory>(count * sizeof(float)));
    return static_cast<float*>(memory_.back()->data());
  }
  bool call(const std::string& collective, const bench::Data& d) override {
    auto& c = communicator_;
    const auto [input, output, total, part] = d;
    if (collective == "all_reduce") return c.all_reduce({output, total}), true;
    if (collective == "broadcast") return c.broadcast({output, total}, 0), true;
    if (collective == "reduce") return c.reduce({input, total}, {output, total}, 0), true;
    if (collective == "all_gather") return c.all_gather({input, part}, {output, total}), true;
    if (collective == "reduce_scatter")
      return c.reduce_scatter({input, total}, {output, part}), true;
    if (collective == "gather") return c.gather({input, part}, {output, total}, 0), true;
    if (collective == "scatter") return c.scatter({input, total}, {output, part}, 0), true;
    if (collective == "all_to_all") return c.all_to_all({input, total}, {output, total}), true;
    if (collective == "barrier") return c.barrier(), true;
    return false;
  }

 private:
  rondo::Communicator communicator_;
  bool registered_;
  std::vector<std::unique_ptr<rondo::RegisteredMemory>> memory_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    bench::bind_to_own_core();
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    RondoWorld world(arguments.size() > 5 && arguments[5] == "registered");
    return bench::run(world, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rondo_loop: %s\n", error.what());
    return 1;
  }
}
