#pragma once

// Every call of a communicator as what it is: a function, and a value that makes the same call.
// Their arguments have one shape here, so that a test can make the same mistake in all of them.

#include <cstddef>
#include <vector>

#include "rondo/communicator.h"

namespace rondo::testing {

struct Arguments {
  ConstBuffer input{};
  Buffer output{};  ///< also where there is one buffer alone
  std::vector<std::size_t> input_counts{};
  std::vector<std::size_t> output_counts{};
  Reduction op = ReduceOp::kSum;
  int root = 0;  ///< or the peer
};

struct Form {
  enum class Buffers { kTwo, kOne, kMessage };

  const char* name;
  void (*function)(Communicator&, const Arguments&);
  Call (*value)(const Arguments&);
  Buffers buffers = Buffers::kTwo;
};

inline const std::vector<Form>& all_forms() {
  using enum Form::Buffers;
  using C = Communicator&;
  using A = const Arguments&;
  static const std::vector<Form> forms = {
      {"all_reduce", [](C c, A a) { c.all_reduce(a.input, a.output, a.op); },
       [](A a) { return Call::all_reduce(a.input, a.output, a.op); }},
      {"all_reduce_in_place", [](C c, A a) { c.all_reduce(a.output, a.op); },
       [](A a) { return Call::all_reduce(a.output, a.op); }, kOne},
      {"all_gather", [](C c, A a) { c.all_gather(a.input, a.output); },
       [](A a) { return Call::all_gather(a.input, a.output); }},
      {"reduce_scatter", [](C c, A a) { c.reduce_scatter(a.input, a.output, a.op); },
       [](A a) { return Call::reduce_scatter(a.input, a.output, a.op); }},
      {"broadcast", [](C c, A a) { c.broadcast(a.output, a.root); },
       [](A a) { return Call::broadcast(a.output, a.root); }, kOne},
      {"reduce", [](C c, A a) { c.reduce(a.input, a.output, a.root, a.op); },
       [](A a) { return Call::reduce(a.input, a.output, a.root, a.op); }},
      {"gather", [](C c, A a) { c.gather(a.input, a.output, a.root); },
       [](A a) { return Call::gather(a.input, a.output, a.root); }},
      {"scatter", [](C c, A a) { c.scatter(a.input, a.output, a.root); },
       [](A a) { return Call::scatter(a.input, a.output, a.root); }},
      {"all_to_all", [](C c, A a) { c.all_to_all(a.input, a.output); },
       [](A a) { return Call::all_to_all(a.input, a.output); }},
      {"all_gather_v", [](C c, A a) { c.all_gather_v(a.input, a.output, a.output_counts); },
       [](A a) { return Call::all_gather_v(a.input, a.output, a.output_counts); }},
      {"reduce_scatter_v",
       [](C c, A a) { c.reduce_scatter_v(a.input, a.output, a.input_counts, a.op); },
       [](A a) { return Call::reduce_scatter_v(a.input, a.output, a.input_counts, a.op); }},
      {"gather_v", [](C c, A a) { c.gather_v(a.input, a.output, a.output_counts, a.root); },
       [](A a) { return Call::gather_v(a.input, a.output, a.output_counts, a.root); }},
      {"scatter_v", [](C c, A a) { c.scatter_v(a.input, a.output, a.input_counts, a.root); },
       [](A a) { return Call::scatter_v(a.input, a.output, a.input_counts, a.root); }},
      {"all_to_all_v",
       [](C c, A a) { c.all_to_all_v(a.input, a.input_counts, a.output, a.output_counts); },
       [](A a) { return Call::all_to_all_v(a.input, a.input_counts, a.output, a.output_counts); }},
      {"send", [](C c, A a) { c.send(a.output, a.root); },
       [](A a) { return Call::send(a.output, a.root); }, kMessage},
      {"receive", [](C c, A a) { c.receive(a.output, a.root); },
       [](A a) { return Call::receive(a.output, a.root); }, kMessage},
  };
  return forms;
}

}  // namespace rondo::testing
