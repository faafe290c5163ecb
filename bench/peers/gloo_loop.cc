// The loop through Gloo's TCP transport. First arguments: RANK SIZE STOREDIR INTERFACE.

#include <gloo/allgather.h>
#include <gloo/allgatherv.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/config.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <string>

#include "messages.h"

namespace {

using bench::Data;

class GlooWorld : public bench::MessageWorld {
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
  std::string library() const override {
    const auto number = [](int part) { return std::to_string(part); };
    return "Gloo " + number(GLOO_VERSION_MAJOR) + "." + number(GLOO_VERSION_MINOR) + "." +
           number(GLOO_VERSION_PATCH);
  }
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
  void send(const float* data, std::size_t count, int peer) override {
    const auto buffer = buffer_of(const_cast<float*>(data), count);
    buffer->send(peer, kSlot);
    buffer->waitSend();
  }
  void receive(float* data, std::size_t count, int peer) override {
    const auto buffer = buffer_of(data, count);
    buffer->recv(peer, kSlot);
    buffer->waitRecv();
  }
  void exchange(const Data& data, int next, int before) override {
    const auto input = buffer_of(data.input, data.part);
    const auto output = buffer_of(data.output, data.part);
    output->recv(before, kSlot);
    input->send(next, kSlot);
    input->waitSend();
    output->waitRecv();
  }
  Call call(const std::string& name) override {
    const std::map<std::string, void (GlooWorld::*)(const Data&)> calls = {
        {"all_reduce", &GlooWorld::all_reduce}, {"broadcast", &GlooWorld::broadcast},
        {"all_gather", &GlooWorld::all_gather}, {"all_gather_v", &GlooWorld::all_gather_v},
        {"all_to_all", &GlooWorld::all_to_all}, {"all_to_all_v", &GlooWorld::all_to_all_v},
    };
    if (name == "barrier") return [this](const Data&) { barrier(); };
    const auto found = calls.find(name);
    if (found == calls.end()) return message_call(name);
    return [this, call = found->second](const Data& data) { (this->*call)(data); };
  }

 private:
  /// Of messages; the collectives have numbers of their own.
  static constexpr std::uint64_t kSlot = 1U << 20U;

  void all_reduce(const Data& data) {
    gloo::AllreduceOptions options(context_);
    options.setOutput(data.output, data.total);
    options.setReduceFunction(sum);
    gloo::allreduce(options);
  }
  void broadcast(const Data& data) {
    gloo::BroadcastOptions options(context_);
    options.setOutput(data.output, data.total);
    options.setRoot(0);
    gloo::broadcast(options);
  }
  void all_gather(const Data& data) {
    gloo::AllgatherOptions options(context_);
    options.setInput(data.input, data.part);
    options.setOutput(data.output, data.total);
    gloo::allgather(options);
  }
  void all_gather_v(const Data& data) {
    gloo::AllgathervOptions options(context_);
    options.setInput(data.input, data.part);
    options.setOutput(data.output, data.parts.counts);
    gloo::allgatherv(options);
  }
  void all_to_all(const Data& data) {
    gloo::AlltoallOptions options(context_);
    options.setInput(data.input, data.total);
    options.setOutput(data.output, data.total);
    gloo::alltoall(options);
  }
  void all_to_all_v(const Data& data) {
    const std::vector<std::int64_t> counts(data.parts.counts.begin(), data.parts.counts.end());
    gloo::AlltoallvOptions options(context_);
    options.setInput(data.input, counts);
    options.setOutput(data.output, counts);
    gloo::alltoallv(options);
  }

  std::unique_ptr<gloo::transport::UnboundBuffer> buffer_of(float* data, std::size_t count) {
    return context_->createUnboundBuffer(data, count * sizeof(float));
  }

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
