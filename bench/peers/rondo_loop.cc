// The loop through Rondo. With "registered" the data lie in registered memory.

#include <rondo/communicator.h>
#include <rondo/version.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "bind.h"
#include "messages.h"

namespace {

using bench::Data;

class RondoWorld : public bench::MessageWorld {
 public:
  explicit RondoWorld(bool registered)
      : communicator_(rondo::Communicator::create()), registered_(registered) {}

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }
  std::string library() const override { return std::string("Rondo ") + rondo::version(); }
  void barrier() override { communicator_.barrier(); }
  void max(std::vector<double>& values) override {
    communicator_.all_reduce({values.data(), values.size()}, rondo::ReduceOp::kMax);
  }
  float* allocate(std::size_t count) override {
    if (!registered_) return static_cast<float*>(std::malloc(count * sizeof(float)));
    memory_.push_back(std::make_unique<rondo::RegisteredMemory>(count * sizeof(float)));
    return static_cast<float*>(memory_.back()->data());
  }
  void send(const float* data, std::size_t count, int peer) override {
    communicator_.send({data, count}, peer);
  }
  void receive(float* data, std::size_t count, int peer) override {
    communicator_.receive({data, count}, peer);
  }
  void exchange(const Data& data, int next, int before) override {
    rondo::Work sent = communicator_.start(rondo::Call::send({data.input, data.part}, next));
    communicator_.receive({data.output, data.part}, before);
    sent.wait();
  }
  Call call(const std::string& name) override {
    auto& c = communicator_;
    const std::map<std::string, Call> calls = {
        {"all_reduce",
         [&c](const Data& d) {
           c.all_reduce({d.output, d.total});
         }},
        {"broadcast",
         [&c](const Data& d) {
           c.broadcast({d.output, d.total}, 0);
         }},
        {"reduce",
         [&c](const Data& d) {
           c.reduce({d.input, d.total}, {d.output, d.total}, 0);
         }},
        {"all_gather",
         [&c](const Data& d) {
           c.all_gather({d.input, d.part}, {d.output, d.total});
         }},
        {"reduce_scatter",
         [&c](const Data& d) {
           c.reduce_scatter({d.input, d.total}, {d.output, d.part});
         }},
        {"gather",
         [&c](const Data& d) {
           c.gather({d.input, d.part}, {d.output, d.total}, 0);
         }},
        {"scatter",
         [&c](const Data& d) {
           c.scatter({d.input, d.total}, {d.output, d.part}, 0);
         }},
        {"all_to_all",
         [&c](const Data& d) {
           c.all_to_all({d.input, d.total}, {d.output, d.total});
         }},
        {"barrier", [&c](const Data&) { c.barrier(); }},
    };
    if (const auto found = calls.find(name); found != calls.end()) return found->second;
    const Call uneven = uneven_call(name);
    return uneven ? uneven : message_call(name);
  }

 private:
  Call uneven_call(const std::string& name) {
    auto& c = communicator_;
    const auto in = [](const Data& d, std::size_t count) {
      return rondo::ConstBuffer{d.input, count};
    };
    const auto out = [](const Data& d, std::size_t count) {
      return rondo::Buffer{d.output, count};
    };
    const std::map<std::string, Call> calls = {
        {"all_gather_v",
         [=, &c](const Data& d) {
           c.all_gather_v(in(d, d.part), out(d, d.total), d.parts.counts);
         }},
        {"reduce_scatter_v",
         [=, &c](const Data& d) {
           c.reduce_scatter_v(in(d, d.total), out(d, d.part), d.parts.counts);
         }},
        {"gather_v",
         [=, &c](const Data& d) { c.gather_v(in(d, d.part), out(d, d.total), d.parts.counts, 0); }},
        {"scatter_v",
         [=, &c](const Data& d) {
           c.scatter_v(in(d, d.total), out(d, d.part), d.parts.counts, 0);
         }},
        {"all_to_all_v",
         [=, &c](const Data& d) {
           c.all_to_all_v(in(d, d.total), d.parts.counts, out(d, d.total), d.parts.counts);
         }},
    };
    const auto found = calls.find(name);
    return found != calls.end() ? found->second : Call();
  }

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
