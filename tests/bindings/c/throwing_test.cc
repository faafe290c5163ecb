// Functions of a program in C++ that throw through C's interface: nothing gets past it, what the
// call does is what its header says, and the world goes on where that is possible. Two ranks.

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
#include "check.h"
}

namespace {

int thrown = 0;
int lines = 0;

[[noreturn]] void fail() {
  ++thrown;
  throw std::runtime_error("a program's own exception");
}

void trace(void* /*context*/, const rondo_traced_call* /*call*/) { fail(); }
void log(void* /*context*/, rondo_log_level /*level*/, const char* /*line*/) {
  ++lines;
  fail();
}
void done(void* /*context*/, const rondo_error* /*error*/) { fail(); }
void combine(void* /*left*/, const void* /*right*/, size_t /*count*/, uint8_t /*type*/,
             void* /*context*/) {
  fail();
}
void* take(void* /*context*/, rondo_device /*device*/, size_t /*bytes*/) { fail(); }
void put(void* /*context*/, rondo_device /*device*/, void* /*memory*/, size_t /*bytes*/) {}
void* take_well(void* /*context*/, rondo_device /*device*/, size_t bytes) {
  const size_t whole = (bytes + RONDO_MEMORY_ALIGNMENT - 1) / RONDO_MEMORY_ALIGNMENT;
  return std::aligned_alloc(RONDO_MEMORY_ALIGNMENT, whole * RONDO_MEMORY_ALIGNMENT);
}
void put_and_fail(void* /*context*/, rondo_device /*device*/, void* memory, size_t /*bytes*/) {
  std::free(memory);
  fail();
}
void keep_line(void* context, rondo_log_level /*level*/, const char* line) {
  *static_cast<std::string*>(context) += line;
}
int gather(void* /*context*/, const void* /*mine*/, void* /*all*/, size_t /*bytes*/) { fail(); }

rondo_communicator* part_of(rondo_communicator* world) {
  rondo_communicator* part = nullptr;
  OK(rondo_split(world, 0, rondo_rank(world), &part));
  return part;
}

void sum(rondo_communicator* c) {
  std::array<float, 3> data{};
  for (size_t i = 0; i < data.size(); ++i) data[i] = given(rondo_rank(c), i);
  rondo_call call = RONDO_CALL_INIT;
  call.kind = RONDO_ALL_REDUCE;
  call.input = call.output = data.data();
  call.input_count = call.output_count = data.size();
  OK(rondo_run(c, &call));
  for (size_t i = 0; i < data.size(); ++i) CHECK(near(data[i], given(0, i) + given(1, i)));
}

void watchers_are_dropped(rondo_communicator* c) {
  OK(rondo_set_trace(c, trace, nullptr));
  sum(c);
  CHECK(thrown > 0);
  OK(rondo_set_trace(c, nullptr, nullptr));
  sum(c);
}

void continuation_is_told_by_wait(rondo_communicator* c) {
  rondo_call call = RONDO_CALL_INIT;
  rondo_work* work = nullptr;
  OK(rondo_start(c, &call, &work));
  OK(rondo_work_then(work, done, nullptr));
  CHECK(rondo_work_wait(work) != RONDO_OK);
  CHECK(strstr(rondo_last_error()->message, "own exception") != nullptr);
  OK(rondo_work_release(work));
  sum(c);
}

/// The others are told who it was; and of a call that fails a line is logged.
void reduction_ends_the_world(rondo_communicator* world) {
  rondo_communicator* c = part_of(world);
  std::vector<float> data(1000, 0.5F);
  rondo_call call = RONDO_CALL_INIT;
  call.kind = RONDO_ALL_REDUCE;
  call.op = RONDO_CUSTOM;
  call.function = combine;
  call.input = call.output = data.data();
  call.input_count = call.output_count = data.size();
  OK(rondo_set_log(log, nullptr, RONDO_LOG_TRACE));
  CHECK(rondo_run(c, &call) != RONDO_OK);
  CHECK(strstr(rondo_last_error()->message, "own exception") != nullptr);
  CHECK(lines > 0);
  OK(rondo_set_log(nullptr, nullptr, RONDO_LOG_WARN));
  OK(rondo_destroy(c));
  sum(world);
}

/// What a message that comes too early would be kept in: as if there were no memory.
void allocator_is_out_of_memory(rondo_communicator* world) {
  rondo_communicator* c = part_of(world);
  OK(rondo_set_allocator(take, put, nullptr));
  std::vector<float> early(5000, 0.25F);
  float late = 0.75F;
  if (rondo_rank(c) == 0) {
    // Its peer may give up while it sends.
    static_cast<void>(rondo_send(c, early.data(), early.size(), RONDO_F32, 1, 1));
    static_cast<void>(rondo_send(c, &late, 1, RONDO_F32, 1, 2));
  } else {
    const int before = thrown;
    const rondo_status status = rondo_receive(c, &late, 1, RONDO_F32, 0, 2);
    CHECK(status != RONDO_OK || late == 0.75F);
    CHECK(thrown > before);
  }
  OK(rondo_set_allocator(nullptr, nullptr, nullptr));
  OK(rondo_destroy(c));
  sum(world);
}

/// The memory has gone back all the same; a line says that its owner didn't like it.
void release_is_logged(rondo_communicator* world) {
  std::string lines;
  rondo_communicator* c = part_of(world);
  OK(rondo_set_log(keep_line, &lines, RONDO_LOG_ERROR));
  OK(rondo_set_allocator(take_well, put_and_fail, nullptr));
  const int before = thrown;
  std::vector<float> early(5000, 0.25F);
  float late = 0.75F;
  if (rondo_rank(c) == 0) {
    OK(rondo_send(c, early.data(), early.size(), RONDO_F32, 1, 1));
    OK(rondo_send(c, &late, 1, RONDO_F32, 1, 2));
  } else {
    OK(rondo_receive(c, &late, 1, RONDO_F32, 0, 2));
    OK(rondo_receive(c, early.data(), early.size(), RONDO_F32, 0, 1));
  }
  OK(rondo_set_allocator(nullptr, nullptr, nullptr));
  OK(rondo_destroy(c));
  CHECK(rondo_rank(world) == 0 || thrown > before);
  CHECK((thrown > before) == (lines.find("threw when it took memory back") != std::string::npos));
  OK(rondo_set_log(nullptr, nullptr, RONDO_LOG_WARN));
  sum(world);
}

/// Of a world that there isn't then.
void all_gather_makes_no_world(rondo_communicator* world) {
  rondo_config config = RONDO_CONFIG_INIT;
  config.network_interface = "lo";
  rondo_communicator* none = nullptr;
  REFUSED(rondo_create_by_all_gather(gather, nullptr, 0, 2, &config, &none), RONDO_INTERNAL,
          "own exception");
  CHECK(none == nullptr);
  sum(world);
}

}  // namespace

int main() {
  rondo_communicator* world = nullptr;
  OK(rondo_create(nullptr, &world));
  CHECK(rondo_size(world) == 2);
  watchers_are_dropped(world);
  continuation_is_told_by_wait(world);
  reduction_ends_the_world(world);
  allocator_is_out_of_memory(world);
  release_is_logged(world);
  all_gather_makes_no_world(world);
  OK(rondo_destroy(world));
  std::puts("nothing got through");
}
