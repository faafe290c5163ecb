#include "examples/custom_device/collectives.h"

#include <unistd.h>

#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "examples/custom_device/failure.h"
#include "examples/custom_device/meeting.h"
#include "examples/custom_device/reduce.h"
#include "examples/custom_device/stream.h"

namespace custom_cpu {
namespace {

struct Member {
  std::shared_ptr<Meeting> meeting;
  int rank = 0;
  int world = 1;
};

Member* own(rondo_plugin_communicator communicator) {
  return reinterpret_cast<Member*>(communicator);
}

/// The digits of "f32", "bf16", "i8", ... are its bits.
std::size_t size_of(const char* type) {
  while (*type != '\0' && std::isdigit(static_cast<unsigned char>(*type)) == 0) ++type;
  return std::strtoul(type, nullptr, 10) / 8;
}

int reduces(const char* type, const char* op) { return find_kernel(type, op) != nullptr ? 1 : 0; }

int make_id(rondo_plugin_id* id) {
  static std::atomic<unsigned> made = 0;
  const unsigned number = ++made;
  std::memcpy(id->bytes, &number, sizeof(number));
  return done();
}

int join(int /*device*/, const rondo_plugin_id* id, int rank, int world,
         rondo_plugin_communicator* communicator) {
  unsigned number = 0;
  std::memcpy(&number, id->bytes, sizeof(number));
  *communicator = reinterpret_cast<rondo_plugin_communicator>(
      new Member{Meeting::of(number, world), rank, world});
  return done();
}

int give_up(rondo_plugin_communicator communicator) {
  own(communicator)->meeting->give_up();
  return done();
}

int leave(rondo_plugin_communicator communicator) {
  delete own(communicator);
  return done();
}

/// In the stream: all come, each does its share, and nobody goes before all have.
int meet(rondo_plugin_communicator communicator, rondo_plugin_stream stream, const void* input,
         void* output, const std::function<void(const Member&)>& do_share) {
  const Share share{static_cast<const std::byte*>(input), static_cast<std::byte*>(output)};
  reinterpret_cast<Stream*>(stream)->add([member = *own(communicator), share, do_share] {
    member.meeting->lay_down(member.rank, share);
    if (!member.meeting->wait_for_all()) return false;
    do_share(member);
    return member.meeting->wait_for_all();
  });
  return done();
}

/// Each rank combines a part of the elements, for all: whoever works in place is read by one alone.
int all_reduce(rondo_plugin_communicator communicator, rondo_plugin_stream stream,
               const void* input, void* output, std::size_t count, const char* type,
               const char* op) {
  const HostKernel kernel = find_kernel(type, op);
  if (kernel == nullptr) return failed("nothing is reduced so");
  return meet(communicator, stream, input, output,
              [kernel, count, size = size_of(type)](const Member& member) {
                const auto rank = static_cast<std::size_t>(member.rank);
                const auto world = static_cast<std::size_t>(member.world);
                const std::size_t first = count * rank / world;
                const std::size_t end = count * (rank + 1) / world;
                Reduction part{{}, {}, end - first, member.world};
                for (const Share& share : member.meeting->shares()) {
                  part.sources.push_back(share.input + first * size);
                  part.targets.push_back(share.output + first * size);
                }
                kernel(part);
              });
}

void copy(std::byte* target, const std::byte* source, std::size_t bytes) {
  if (target != source) std::memcpy(target, source, bytes);
}

int broadcast(rondo_plugin_communicator communicator, rondo_plugin_stream stream, const void* input,
              void* output, std::size_t count, const char* type, int root) {
  return meet(communicator, stream, input, output,
              [bytes = count * size_of(type), root](const Member& member) {
                const auto& shares = member.meeting->shares();
                copy(shares[static_cast<std::size_t>(member.rank)].output,
                     shares[static_cast<std::size_t>(root)].input, bytes);
              });
}

int all_gather(rondo_plugin_communicator communicator, rondo_plugin_stream stream,
               const void* input, void* output, std::size_t count, const char* type) {
  return meet(communicator, stream, input, output,
              [bytes = count * size_of(type)](const Member& member) {
                const auto& shares = member.meeting->shares();
                std::byte* target = shares[static_cast<std::size_t>(member.rank)].output;
                for (const Share& share : shares) {
                  copy(target, share.input, bytes);
                  target += bytes;
                }
              });
}

}  // namespace

rondo_collective_table collectives() {
  // Ranks of other processes have another text, and don't join.
  static const std::string version = "custom_cpu 1 in process " + std::to_string(::getpid());
  rondo_collective_table table{};  // what is left out is null, and goes another way
  table.size = sizeof(table);
  table.version = version.c_str();
  table.reduces = &reduces;
  table.make_id = &make_id;
  table.join = &join;
  table.abort = &give_up;
  table.leave = &leave;
  table.all_reduce = &all_reduce;
  table.broadcast = &broadcast;
  table.all_gather = &all_gather;
  return table;
}

}  // namespace custom_cpu
