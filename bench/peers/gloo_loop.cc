// The loop through Gloo's TCP transport. First arguments: RANK SIZE STOREDIR INTERFACE.

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include "loop.h"

namespace {

class GlooWorld : public bench::World {
 public:
  explicit GlooWorld(const std::vector<std::string>& arguments) {
    gloo::transport::tcp::attr attributes;
    attributes.iface = arguments.at(3);
    gloo::rendezvous::FileStore store(arguments.at(2));
    auto context = std::make_shared<gloo::rendezvous::Context>(std::stoi(arguments.at(0)),
                                                               std::stoi(arguments.at(1)));
    auto device = gloo::transport::tcp::CreateDevice(attributes);
    context->connectFullMesh(store, device);
    context_ = context;
  }

  int rank() const override { return context_->rank; }
  int size() const override { return context_->size; }
  void barrier() override {
    gloo::BarrierOptions options(context_);
    gloo::barrier(options);
  }
  void max(std::vector<double>& values) override {
    gloo::AllreduceOptions options(context_);
    options.setOutput(values.data(), values.size());
    options.setReduceFunction([](void* to, const void* a, const void* b, std::size_t count) {
      gloo::max<double>(to, a, b, count);
    });
    gloo::allreduce(options);
  }
  float* allocate(std::size_t count) override {
    return static_cast<float*>(std::malloc(count * sizeof(float)));
  }
  bool call(const std::string& collective, const bench::Data& data) override {
    if (collective == "all_reduce") {
      gloo::AllreduceOptions options(context_);
      options.setOutput(data.output, data.total);
      options.setReduceFunction(sum);
      gloo::allreduce(options);
    } else if (collective == "broadcast") {
      gloo::BroadcastOptions options(context_);
      options.setOutput(data.output, data.total);
      options.setRoot(0);
      gloo::broadcast(options);
    } else if (collective == "all_gather") {
      gloo::AllgatherOptions options(context_);
      options.setInput(data.input, data.part);
      options.setOutput(data.output, data.total);
      gloo::allgather(options);
    } else if (collective == "all_to_all") {
      gloo::AlltoallOptions options(context_);
      options.setInput(data.input, data.total);
      options.setOutput(data.output, data.total);
      gloo::alltoall(options);
    } else if (collective == "barrier") {
      barrier();
    } else {
      return false;
    }
    return true;
  }

 private:
  static void sum(void* to, const void* a, const void* b, std::size_t count) {
    gloo::sum<float>(to, a, b, count);
  }

  std::shared_ptr<gloo::Context> context_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    GlooWorld world(arguments);
    return bench::run(world, {arguments.begin() + 4, arguments.end()});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gloo_loop: %s\n", error.what());
    return 1;
  }
}
