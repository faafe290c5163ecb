#include "examples/custom_device/collectives.h"

#include <unistd.h>

#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "examples/custom_device/failure.h"
#include "examples/custom_device/handles.h"
#include "examples/custom_device/meeting.h"
#include "examples/custom_device/member.h"
#include "examples/custom_device/memory.h"
#include "examples/custom_device/reduce.h"
#include "examples/custom_device/shares.h"

namespace custom_cpu {
namespace {

using Communicator = rondo_plugin_communicator;

Member* own(Communicator communicator) { return reinterpret_cast<Member*>(communicator); }

/// The digits of "f32", "bf16", "i8", ... are its bits.
std::size_t size_of(const char* type) {
  while (*type != '\0' && std::isdigit(static_cast<unsigned char>(*type)) == 0) ++type;
  return std::strtoul(type, nullptr, 10) / 8;
}

Share share_of(const void* input, const void* output) {
  return {memory().name(input), memory().name(output)};
}

int reduces(const char* type, const char* op) { return find_kernel(type, op) != nullptr ? 1 : 0; }

int make_id(rondo_plugin_id* id) {
  const auto name = Meeting::arrange();
  if (!name) return failed("there is no memory for a communicator");
  pack(*name, *id);
  return done();
}

int join(int /*device*/, const rondo_plugin_id* id, int rank, int world,
         Communicator* communicator) {
  if (world > Meeting::kMostRanks)
    return failed("a communicator has " + std::to_string(Meeting::kMostRanks) + " ranks at most");
  auto meeting = Meeting::find(unpacked<FileName>(*id));
  if (meeting == nullptr) return failed("the rank that has made the id is gone");
  meeting->join();
  *communicator = reinterpret_cast<Communicator>(new Member({std::move(meeting), rank, world}));
  return done();
}

int ready(Communicator communicator, int* is_done) {
  const Seat& seat = own(communicator)->seat();
  if (seat.meeting->given_up()) return failed("a rank of this communicator has given up");
  *is_done = seat.meeting->is_complete(seat.world) ? 1 : 0;
  return done();
}

int give_up(Communicator communicator) {
  own(communicator)->seat().meeting->give_up();
  return done();
}

int leave(Communicator communicator) {
  delete own(communicator);
  return done();
}

/// Each rank combines a part of the elements, for all: whoever works in place is read by one alone.
int all_reduce(Communicator communicator, rondo_plugin_stream stream, const void* input,
               void* output, std::size_t count, const char* type, const char* op) {
  const Part whole{find_kernel(type, op), size_of(type), 0, count};
  if (whole.kernel == nullptr) return failed("nothing is reduced so");
  return own(communicator)->ask(stream, share_of(input, output), [whole](const Seat& seat) {
    const Part part = part_of(whole, seat);
    std::vector<Target> all;
    for (int rank = 0; rank < seat.world; ++rank) all.push_back({rank, part.first});
    return combine(seat, part, all);
  });
}

/// The same for the root.
// NOLINTNEXTLINE(readability-function-size): these are the table's parameters
int reduce(Communicator communicator, rondo_plugin_stream stream, const void* input, void* output,
           std::size_t count, const char* type, const char* op, int root) {
  const Part whole{find_kernel(type, op), size_of(type), 0, count};
  if (whole.kernel == nullptr) return failed("nothing is reduced so");
  return own(communicator)->ask(stream, share_of(input, output), [whole, root](const Seat& seat) {
    const Part part = part_of(whole, seat);
    return combine(seat, part, {{root, part.first}});
  });
}

int broadcast(Communicator communicator, rondo_plugin_stream stream, const void* input,
              void* output, std::size_t count, const char* type, int root) {
  const Copy copy{root, count * size_of(type), 0};
  return own(communicator)->ask(stream, share_of(input, output), [copy](const Seat& seat) {
    return copy_input(seat, copy);
  });
}

int all_gather(Communicator communicator, rondo_plugin_stream stream, const void* input,
               void* output, std::size_t count, const char* type) {
  const std::size_t bytes = count * size_of(type);
  return own(communicator)->ask(stream, share_of(input, output), [bytes](const Seat& seat) {
    bool whole = true;
    for (int rank = 0; rank < seat.world && whole; ++rank)
      whole = copy_input(seat, {rank, bytes, static_cast<std::size_t>(rank) * bytes});
    return whole;
  });
}

int reduce_scatter(Communicator communicator, rondo_plugin_stream stream, const void* input,
                   void* output, std::size_t count, const char* type, const char* op) {
  const Part whole{find_kernel(type, op), size_of(type), 0, count};
  if (whole.kernel == nullptr) return failed("nothing is reduced so");
  return own(communicator)->ask(stream, share_of(input, output), [whole](const Seat& seat) {
    Part part = whole;
    part.first = static_cast<std::size_t>(seat.rank) * part.count;
    return combine(seat, part, {{seat.rank, 0}});
  });
}

/// A message is as long as both say.
int ask_message(Communicator communicator, rondo_plugin_stream stream, Message message,
                std::size_t bytes) {
  if (message.memory.bytes < bytes) return failed("that is no memory of these devices");
  message.memory.bytes = bytes;
  return bytes == 0 ? done() : own(communicator)->ask(stream, message);
}

int send(Communicator communicator, rondo_plugin_stream stream, const void* data, std::size_t count,
         const char* type, int peer) {
  return ask_message(communicator, stream, {peer, true, memory().name(data)},
                     count * size_of(type));
}

int receive(Communicator communicator, rondo_plugin_stream stream, void* data, std::size_t count,
            const char* type, int peer) {
  return ask_message(communicator, stream, {peer, false, memory().name(data)},
                     count * size_of(type));
}

int begin_group(Communicator communicator) {
  own(communicator)->begin_group();
  return done();
}

int end_group(Communicator communicator) { return own(communicator)->end_group(); }

/// Processes that see each other: of one machine, and of one container there.
std::string version() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::array<char, 64> processes{};
  if (boot.empty() || ::readlink("/proc/self/ns/pid", processes.data(), processes.size() - 1) < 0)
    return "custom_cpu 2 in process " + std::to_string(::getpid());
  return "custom_cpu 2 on " + boot + ", " + processes.data();
}

}  // namespace

rondo_collective_table collectives() {
  static const std::string text = version();
  rondo_collective_table table{};
  table.size = sizeof(table);
  table.version = text.c_str();
  table.reduces = &reduces;
  table.make_id = guarded<&make_id>;
  table.join = guarded<&join>;
  table.ready = guarded<&ready>;
  table.abort = guarded<&give_up>;
  table.leave = guarded<&leave>;
  table.all_reduce = guarded<&all_reduce>;
  table.reduce = guarded<&reduce>;
  table.broadcast = guarded<&broadcast>;
  table.all_gather = guarded<&all_gather>;
  table.reduce_scatter = guarded<&reduce_scatter>;
  table.send = guarded<&send>;
  table.receive = guarded<&receive>;
  table.begin_group = guarded<&begin_group>;
  table.end_group = guarded<&end_group>;
  return table;
}

}  // namespace custom_cpu
